import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent } from "react";
import type { Label, Mistake } from "@/api/types";
import type { CandidateRow } from "@/protocol/afterError";
import { commandNamed } from "@/protocol/commands";
import type { DraftAction, DraftContent } from "@/protocol/draft";
import { type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { progressCommands } from "@/protocol/mistakeCommands";
import { countOf } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { CandidateList } from "./CandidateList";
import { KindPicker } from "./KindPicker";
import classes from "./MistakeCard.module.css";
import { guidelineOfLabelQuery } from "./queries";
import { type Coming, focusInHand, type MistakeCardState } from "./useMistakeCard";

const PROGRESS: [NonNullable<Mistake["progress"]>, string][] = [
  ["none", "none"],
  ["some", "some"],
  ["most", "most of it"],
];

interface MistakeCardProps {
  label: Label;
  card: MistakeCardState;
  content: DraftContent;
  step: number;
  raw: boolean;
  choices: KeyChoices;
  dispatch: (action: DraftAction) => void;
}

/** The first error, examined again: how far the solution had come, what is wrong, what the step should have said. */
export function MistakeCard(props: MistakeCardProps) {
  const { label, card, content, step, raw, dispatch } = props;
  const { asked } = label.after_error;
  const explanations = card.rows.filter((row) => row.kind === "explanation");
  const alternatives = card.rows.filter((row) => row.kind === "alternative");
  const list = { inHand: card.row, content, raw, dispatch, onFocus: (row: CandidateRow) => card.goTo(row) };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: only keeps clicks in the card from moving the focus
    <div className={classes.card} onClick={(event) => event.stopPropagation()}>
      <p className={classes.heading}>
        <strong>About this mistake</strong>
        <span>{asked.length > 0 ? "This round requires the fields marked “asked”." : "All fields are optional."}</span>
      </p>
      <Progress {...props} />
      <Kind {...props} />
      <Words {...props} field="corrected_step" id="mistake-corrected" command="corrected_step" title="It should say" />
      <div className={classes.group}>
        <p className={classes.heading}>
          <strong>Why it is wrong</strong>
          <span>{explanationWords(explanations, card.coming)}</span>
        </p>
        <CandidateList title="Explanations by a machine" rows={explanations} {...list} />
        <Words {...props} field="explanation" id="mistake-explanation" command="explain_mistake" title="In my words" />
      </div>
      {alternatives.length > 0 && (
        <div className={classes.group}>
          <p className={classes.heading}>
            <strong>Other ways to take step {step + 1}</strong>
            <span>{candidateWords(alternatives)}</span>
          </p>
          <CandidateList title="Other candidates for this step" rows={alternatives} {...list} />
        </div>
      )}
      <Finish content={content} dispatch={dispatch} />
    </div>
  );
}

function explanationWords(rows: readonly CandidateRow[], coming: Coming): string {
  if (coming === "coming") return "A machine is writing an explanation. Go on; it will appear here.";
  if (coming === "failed") return "The machine gave no explanation.";
  if (rows.length === 0) return "";
  return `${rows.length === 1 ? "an explanation" : `${rows.length} explanations`} by a machine; rate it like a step`;
}

function candidateWords(rows: readonly CandidateRow[]): string {
  const all = rows.reduce((sum, row) => sum + row.completions.length + row.suggestions.length, 0);
  const different = all === rows.length ? "" : `, ${rows.length} different`;
  return `${countOf(all, "candidate")}${different}`;
}

function Cap({ name, choices }: { name: string; choices: KeyChoices }) {
  return <kbd className={classes.cap}>{showKey(keysOf(commandNamed(name), choices)[0] ?? "")}</kbd>;
}

function Asked({ label, name }: { label: Label; name: string }) {
  return (label.after_error.asked as string[]).includes(name) ? <span className={classes.asked}>asked</span> : null;
}

function Progress({ label, content, choices, dispatch }: MistakeCardProps) {
  const { progress } = content.mistake;
  return (
    <div className={classes.line}>
      <span className={classes.name}>Progress before it</span>
      <div className={classes.choices} role="radiogroup" aria-label="Progress before the mistake">
        {PROGRESS.map(([value, words], index) => (
          // biome-ignore lint/a11y/useSemanticElements: pressing the chosen one again takes it back, which a native radio cannot
          <button
            key={value}
            type="button"
            role="radio"
            aria-checked={progress === value}
            onClick={() => dispatch({ type: "mistake", mistake: { progress: progress === value ? null : value } })}
          >
            <small aria-hidden>{progressKey(index, choices)}</small>
            {words}
          </button>
        ))}
      </div>
      <Asked label={label} name="progress" />
    </div>
  );
}

function progressKey(index: number, choices: KeyChoices): string {
  const command = progressCommands[index];
  return command ? showKey(keysOf(command, choices)[0] ?? "") : "";
}

function Kind({ label, card, content, choices, dispatch }: MistakeCardProps) {
  const { kind = "", clause = "" } = content.mistake;
  const { kinds } = label.after_error;
  const version = label.guideline_version;
  const guideline = useQuery({ ...guidelineOfLabelQuery(label.project.slug, version), enabled: version > 0 });
  const clauses = guideline.data?.clauses ?? [];
  if (kinds.length === 0 && clauses.length === 0 && kind === "" && clause === "") return null;
  const close = () => {
    card.setPicking(false);
    card.goTo(card.row);
  };
  const chosen = kinds.find((one) => one.code === kind);
  return (
    <div className={classes.line}>
      <span className={classes.name}>
        <Cap name="error_kind" choices={choices} /> {kinds.length > 0 || kind !== "" ? "Kind of mistake" : "Clause"}
      </span>
      <div className={classes.tags}>
        {kind !== "" && (
          <Tag words={chosen?.title ?? kind} onRemove={() => dispatch({ type: "mistake", mistake: { kind: "" } })} />
        )}
        {clause !== "" && (
          <Tag
            words={`${clause} ${clauses.find((one) => one.number === clause)?.text ?? ""}`.trim()}
            onRemove={() => dispatch({ type: "mistake", mistake: { clause: "" } })}
          />
        )}
        {card.picking ? (
          <KindPicker
            kinds={kinds}
            clauses={clauses}
            onPick={(field, value) => {
              dispatch({ type: "mistake", mistake: { [field]: value } });
              close();
            }}
            onClose={close}
          />
        ) : (
          <button type="button" className={classes.link} onClick={() => card.setPicking(true)}>
            {kind === "" && clause === "" ? "choose" : "change"}
          </button>
        )}
      </div>
      <Asked label={label} name="kind" />
    </div>
  );
}

function Tag({ words, onRemove }: { words: string; onRemove: () => void }) {
  return (
    <span className={classes.tag}>
      {words}
      <button type="button" aria-label={`Take back: ${words}`} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}

interface WordsProps extends MistakeCardProps {
  field: "explanation" | "corrected_step";
  id: string;
  command: string;
  title: string;
}

/** A text by the labeler, with its formulas rendered as they are typed. */
function Words({ label, step, content, choices, raw, dispatch, field, id, command, title }: WordsProps) {
  const text = content.mistake[field];
  const question = field === "explanation" ? "What is the mistake?" : "What should the step have said?";
  const begin = field === "corrected_step" && text === "" ? (label.steps[step] ?? "") : "";
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Escape") focusInHand(step); // now, because the next key is a command
    if (event.key !== "ArrowUp" || begin === "") return;
    event.preventDefault();
    dispatch({ type: "mistake", mistake: { [field]: begin } });
  };
  return (
    <div className={classes.line}>
      <span className={classes.name}>
        <Cap name={command} choices={choices} /> {title}
      </span>
      <div className={classes.words}>
        <textarea
          className={classes.field}
          id={id}
          rows={1}
          value={text}
          maxLength={20_000}
          aria-label={`${question} Optional`}
          placeholder={`${question} (optional)`}
          onChange={(event) => dispatch({ type: "mistake", mistake: { [field]: event.currentTarget.value } })}
          onKeyDown={pressed}
        />
        <small className={classes.hint} aria-hidden>
          {begin && (
            <>
              <kbd>↑</kbd> start from the step’s text{" "}
            </>
          )}
          <kbd>Esc</kbd> back to the steps <kbd>Ctrl ↵</kbd> submit
        </small>
        {!raw && /[$\\]/.test(text) && (
          <div className={`${classes.preview} read`}>
            <MathText text={text} raw={false} />
          </div>
        )}
      </div>
      <Asked label={label} name={field} />
    </div>
  );
}

function Finish({ content, dispatch }: Pick<MistakeCardProps, "content" | "dispatch">) {
  const asSolution = content.finish === "solution";
  return (
    <div className={classes.finish}>
      <span>{asSolution ? "Finishes as: solution, in spite of the −1." : "Finishes as: error found."}</span>
      <button
        type="button"
        className={classes.link}
        onClick={() => dispatch({ type: "finish", finish: asSolution ? null : "solution" })}
      >
        {asSolution ? "Finish as error found" : "The solution is right all the same"}
      </button>
    </div>
  );
}
