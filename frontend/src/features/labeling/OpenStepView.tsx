import { type ReactNode, useEffect, useRef } from "react";
import type { OpenStep, Path } from "@/api/pathTypes";
import type { Rating } from "@/api/types";
import { great, mustWrite } from "@/protocol/choose_step/path";
import { type StepAction, type StepContent, saidOf } from "@/protocol/choose_step/stepDraft";
import { endWords, openWords } from "@/protocol/choose_step/words";
import { splitAnswer } from "@/ui/trace/pathWords";
import { CompletionRow } from "./CompletionRow";
import classes from "./Path.module.css";
import { StepEditor } from "./StepEditor";

export interface PathKeys {
  write: string;
  more: string;
  leave: string;
  giveUp: string;
  undo: string;
  submit: string;
}

interface OpenStepViewProps {
  path: Path;
  content: StepContent;
  inHand: number;
  raw: boolean;
  /** A step is on its way to the server. */
  sending: boolean;
  /** How often the labeler asked to write here; 0 if not yet. */
  asked: number;
  /** Why the step written here was refused. */
  refusal: string;
  /** The labeler's comment on this step; empty if there is none. */
  comment: string;
  /** Marked to be looked at again. */
  marked: boolean;
  /** The form for a text about this step, shown under it. */
  inline: ReactNode;
  keys: PathKeys;
  dispatch: (action: StepAction) => void;
  onHold: (held: boolean) => void;
  onEnter: () => void;
  onWrite: () => void;
  onLeave: () => void;
  onRows: () => void;
}

/** The step to choose now: its completions, then either a waiting message or the labeler's own step. */
export function OpenStepView(props: OpenStepViewProps) {
  const { path, content, inHand, raw, sending, asked, keys, dispatch } = props;
  const { open } = path;
  const section = useRef<HTMLElement>(null);
  // Without completions no row can have the keyboard focus, so the section takes it, rather than the page's body.
  const place = open?.step;
  const bare = open?.completions.length === 0;
  useEffect(() => {
    if (place !== undefined && bare && document.activeElement === document.body) {
      section.current?.focus({ preventScroll: true });
    }
  }, [place, bare]);
  if (open === null) return <PathEnd path={path} keys={keys} />;
  const writes = asked > 0 || content.text !== "" || mustWrite(path, open, content);
  return (
    <section ref={section} className={classes.open} aria-labelledby="open-step" tabIndex={-1}>
      <div className={classes.head}>
        <h2 id="open-step">
          Step {open.step + 1}
          {props.marked && <small> · look again</small>}
        </h2>
        <p>{openWords(path, open, content)}</p>
      </div>
      {open.completions.length > 0 && (
        <ol style={{ display: "grid", gap: 5, margin: 0, padding: 0, listStyle: "none" }}>
          {open.completions.map((completion, at) => (
            <CompletionRow
              key={completion.number}
              completion={completion}
              at={at}
              of={open.completions.length}
              said={saidOf(content, completion.number)}
              inHand={inHand === at}
              disabled={sending}
              raw={raw}
              traced={path.steps.length + at}
              onFocus={(row) => dispatch({ type: "focus", row })}
              onRate={(row, number, rating: Rating) => dispatch({ type: "rate", row, number, rating })}
            />
          ))}
        </ol>
      )}
      {props.inline && <div className={classes.under}>{props.inline}</div>}
      {props.comment !== "" && !props.inline && <p className={`${classes.under} ${classes.said}`}>“{props.comment}”</p>}
      {open.may_ask_more && great(open, content).length === 0 && (
        <p className={classes.under}>
          <kbd>{keys.more}</kbd> asks for {path.most} more.
        </p>
      )}
      {path.stuck && (
        <p className={classes.under}>
          Three steps in a row had no great completion. If the path is stuck, <kbd>{keys.giveUp}</kbd> gives up; your
          work is kept.
        </p>
      )}
      {open.trouble && !writes && <Trouble open={open} keys={keys} onWrite={props.onWrite} onLeave={props.onLeave} />}
      {writes && (
        <StepEditor
          content={content}
          step={open.step}
          asked={asked}
          refusal={props.refusal}
          unused={great(open, content).length > 0}
          disabled={sending}
          begin={splitAnswer(open.completions[inHand]?.text ?? "").said}
          submitKey={keys.submit}
          writeKey={keys.write}
          dispatch={dispatch}
          onHold={props.onHold}
          onEnter={props.onEnter}
          onLeave={props.onRows}
        />
      )}
    </section>
  );
}

interface TroubleProps {
  open: OpenStep;
  keys: PathKeys;
  onWrite: () => void;
  onLeave: () => void;
}

/** What is slow or missing, and what you can do in the meantime; never an endless spinner. */
function Trouble({ open, keys, onWrite, onLeave }: TroubleProps) {
  const ends = open.trouble?.code === "none";
  return (
    <div className={classes.under}>
      <p role="status">{open.trouble?.detail}</p>
      <ul className={classes.choices}>
        <li>
          <button type="button" onClick={onWrite}>
            <kbd>{keys.write}</kbd>
            <span>write step {open.step + 1} yourself</span>
          </button>
        </li>
        <li>
          <button type="button" onClick={onLeave}>
            <kbd>{keys.leave}</kbd>
            <span>
              leave the problem to someone else <small>· you can resume it from My work</small>
            </span>
          </button>
        </li>
      </ul>
      {!ends && <p style={{ margin: "10px 0 0" }}>Or wait: new completions appear here automatically.</p>}
    </div>
  );
}

/** No step is open any more: the path has reached the answer or its maximum length. */
function PathEnd({ path, keys }: { path: Path; keys: PathKeys }) {
  const done = path.ended === "final_answer";
  return (
    <section aria-label="End of the path" className={classes.under}>
      <p role="status">{endWords(path) || "This step is no longer open."}</p>
      <p>
        {done && (
          <>
            <kbd>{keys.submit}</kbd> submits the path.{" "}
          </>
        )}
        {path.ended === "step_cap" && (
          <>
            <kbd>{keys.giveUp}</kbd> gives up; your work is kept.{" "}
          </>
        )}
        {path.can_undo && (
          <>
            <kbd>{keys.undo}</kbd> takes the last step back.
          </>
        )}
      </p>
    </section>
  );
}
