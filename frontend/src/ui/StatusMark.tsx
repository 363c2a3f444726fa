import classes from "./StatusMark.module.css";

export type StatusTone = "good" | "busy" | "bad" | "held" | "quiet";

const SIGNS: Record<StatusTone, string> = { good: "✓", busy: "●", bad: "✕", held: "Ⅱ", quiet: "○" };

/** A state as a word next to a sign with its own shape: colour is never the only sign. */
export function StatusMark({ tone, children }: { tone: StatusTone; children: string }) {
  return (
    <span className={`${classes.mark} ${classes[tone]}`}>
      <span aria-hidden>{SIGNS[tone]}</span>
      {children}
    </span>
  );
}
