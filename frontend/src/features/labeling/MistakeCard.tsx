import type { Alternative, Mistake } from "@/api/types";
import type { DraftAction, DraftContent } from "@/protocol/draft";
import { MathText } from "@/ui/math/MathText";
import classes from "./MistakeCard.module.css";
import { RatingButtons } from "./RatingButtons";

const PROGRESS: [NonNullable<Mistake["progress"]>, string][] = [
  ["none", "none"],
  ["some", "some"],
  ["most", "most of it"],
];

interface MistakeCardProps {
  content: DraftContent;
  alternatives: readonly Alternative[];
  raw: boolean;
  dispatch: (action: DraftAction) => void;
}

/** After a −1, all optional: how far the solution had come, what is wrong, and the other candidates for this step. */
export function MistakeCard({ content, alternatives, raw, dispatch }: MistakeCardProps) {
  const { progress, explanation } = content.mistake;
  const asSolution = content.finish === "solution";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: only keeps clicks in the card from moving the focus
    <div className={classes.card} onClick={(event) => event.stopPropagation()}>
      <fieldset className={classes.line}>
        <legend>Progress before the mistake</legend>
        <div className={classes.choices} role="radiogroup" aria-label="Progress before the mistake">
          {PROGRESS.map(([value, words]) => (
            // biome-ignore lint/a11y/useSemanticElements: pressing the chosen one again takes it back, which a native radio cannot
            <button
              key={value}
              type="button"
              role="radio"
              aria-checked={progress === value}
              onClick={() => dispatch({ type: "mistake", mistake: { progress: progress === value ? null : value } })}
            >
              {words}
            </button>
          ))}
        </div>
      </fieldset>
      <textarea
        className={classes.text}
        id="mistake-explanation"
        rows={1}
        value={explanation}
        maxLength={20_000}
        aria-label="What is the mistake? Optional"
        placeholder="What is the mistake? (optional)"
        onChange={(event) => dispatch({ type: "mistake", mistake: { explanation: event.currentTarget.value } })}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.closest("li")?.focus();
        }}
      />
      <small className={classes.hint} aria-hidden>
        <kbd>Esc</kbd> back to the steps <kbd>Ctrl ↵</kbd> submit
      </small>
      {alternatives.length > 0 && (
        <section className={classes.alternatives} aria-label="Other candidates for this step">
          <span className="eyebrow">Other candidates for this step</span>
          {alternatives.map((alternative, index) => (
            <AlternativeRow
              key={alternative.id}
              alternative={alternative}
              number={index + 1}
              content={content}
              raw={raw}
              dispatch={dispatch}
            />
          ))}
        </section>
      )}
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
    </div>
  );
}

interface AlternativeRowProps {
  alternative: Alternative;
  number: number;
  content: DraftContent;
  raw: boolean;
  dispatch: (action: DraftAction) => void;
}

function AlternativeRow({ alternative, number, content, raw, dispatch }: AlternativeRowProps) {
  const given = content.alternatives.find((one) => one.completion === alternative.id);
  const rating = given?.rating ?? null;
  const flagged = given?.flagged ?? false;
  const carried = content.carried.some((mark) => mark.completion === alternative.id);
  return (
    <div className={classes.alternative}>
      <RatingButtons
        className={classes.small}
        label={`Rating of candidate ${number}`}
        rating={rating}
        reachable
        onRate={(value) =>
          dispatch({
            type: "rateAlternative",
            completion: alternative.id,
            rating: value === rating ? null : value,
            flagged,
          })
        }
      />
      <div className="read">
        <MathText text={alternative.text} raw={raw} />
        {carried && <div className={classes.carried}>carried over</div>}
      </div>
      <label className={classes.unsure}>
        <input
          type="checkbox"
          checked={flagged}
          onChange={(event) =>
            dispatch({
              type: "rateAlternative",
              completion: alternative.id,
              rating,
              flagged: event.currentTarget.checked,
            })
          }
        />
        unsure
      </label>
    </div>
  );
}
