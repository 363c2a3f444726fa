import classes from "./labels.module.css";

const MOST = 40;

/** The ratings of a label step by step, readable without colour: the first error is tall, unread steps are hollow. */
export function VerdictStrip({ ratings, verdict }: { ratings: readonly (number | null)[]; verdict: number | null }) {
  return (
    <span className={classes.strip} aria-hidden>
      {ratings.slice(0, MOST).map((rating, step) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index is the step's identity
        <i key={step} data-rated={step === verdict ? "error" : (SHAPES[String(rating)] ?? "unread")} />
      ))}
      {ratings.length > MOST && "…"}
    </span>
  );
}

const SHAPES: Record<string, string> = { "1": "right", "0": "neutral", "-1": "wrong" };

export function StripKey() {
  return (
    <p className={classes.key}>
      {[
        ["right", "right"],
        ["neutral", "neutral"],
        ["error", "first error"],
        ["unread", "not read"],
      ].map(([shape, words]) => (
        <span key={shape}>
          <span className={classes.strip} aria-hidden>
            <i data-rated={shape} />
          </span>{" "}
          {words}
        </span>
      ))}
    </p>
  );
}
