import { RatingMark } from "./LabelMatrix";
import { PathText } from "./PathText";
import classes from "./PathView.module.css";
import { originOf, type ToldStep } from "./pathWords";

interface ShownCompletion {
  number: number;
  text: string;
  count: number;
  rating: number | null;
  flagged: boolean;
}

interface ShownStep extends Omit<ToldStep, "ratings"> {
  step: number;
  text: string;
  ratings: ShownCompletion[];
  chosen: number | null;
}

export interface ShownPath {
  steps: ShownStep[];
  discarded: { step: number; text: string; source: string; ratings: ShownCompletion[]; at: string }[];
}

/** A chosen path, read-only: each step with how it was chosen and everything offered for it, with ratings. */
export function PathView({ path, raw, writer = "you" }: { path: ShownPath; raw: boolean; writer?: string }) {
  return (
    <>
      <ol className={classes.path}>
        {path.steps.map((step) => (
          <li key={step.step} className={classes.step}>
            <span className={classes.number}>{step.step + 1}</span>
            <span className={classes.origin}>{originOf(step, writer)}</span>
            <div className="read">
              <PathText text={step.text} raw={raw} />
            </div>
            <Offered step={step} raw={raw} />
          </li>
        ))}
      </ol>
      {path.discarded.length > 0 && (
        <details className={classes.back}>
          <summary>Taken back: {path.discarded.length}</summary>
          <ol className={classes.path}>
            {path.discarded.map((one) => (
              <li key={`${one.at}/${one.step}`} className={classes.step}>
                <span className={classes.number}>{one.step + 1}</span>
                <span className={classes.origin}>{one.source === "human" ? `written by ${writer}` : "chosen"}</span>
                <div className="read">
                  <PathText text={one.text} raw={raw} />
                </div>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

/** Everything offered for a step. The chosen one is marked, since its text is already shown above. */
function Offered({ step, raw }: { step: ShownStep; raw: boolean }) {
  const [only] = step.ratings;
  if (!only || (step.ratings.length === 1 && step.chosen === only.number)) return null;
  return (
    <ol className={classes.completions} aria-label={`Offered for step ${step.step + 1}`}>
      {step.ratings.map((one) => (
        <li key={one.number} className={`${classes.completion} ${one.number === step.chosen ? classes.chosen : ""}`}>
          <RatingMark rating={one.rating} />
          <div className="read">
            <PathText text={one.text} raw={raw} />
          </div>
          <span className={classes.aside}>
            {[one.count > 1 && `×${one.count}`, one.flagged && "unsure", one.number === step.chosen && "chosen"]
              .filter(Boolean)
              .join(" · ")}
          </span>
        </li>
      ))}
    </ol>
  );
}
