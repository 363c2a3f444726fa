import { type CSSProperties, type KeyboardEvent, useRef, useState } from "react";
import classes from "./HeatStrip.module.css";
import { formatNarrow, formatStepScore, heatColor, lowestStep, type Scale, type StepScore, stepShare } from "./score";

interface HeatStripProps {
  scores: readonly StepScore[];
  scale?: Scale;
  /** The strip's name for screen readers. */
  label: string;
  /** The current step. */
  picked: number | null;
  onPick: (step: number) => void;
}

/**
 * A cell for each step: high and blue where the model thinks it right, low and orange where it doubts. The number is
 * under the cell if there is room, and is always shown and announced for the current step. The strip is one Tab stop;
 * arrow keys move from step to step.
 */
export function HeatStrip({ scores, scale = "probability", label, picked, onPick }: HeatStripProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const strip = useRef<HTMLDivElement>(null);
  const lowest = lowestStep(scores);
  const inHand = picked ?? lowest ?? 0;
  const go = (event: KeyboardEvent) => {
    const step = nextStep(event.key, inHand, scores.length);
    if (step === null) return;
    event.preventDefault();
    setHovered(null);
    onPick(step);
    strip.current?.querySelectorAll("button")[step]?.focus();
  };
  const shown = hovered ?? picked;
  return (
    <div className={classes.place}>
      <div
        ref={strip}
        className={classes.strip}
        role="toolbar"
        aria-label={label}
        onKeyDown={go}
        style={{ "--steps": Math.max(1, scores.length) } as CSSProperties}
      >
        {scores.map((value, step) => {
          const share = stepShare(value, scale);
          return (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the step's identity
              key={step}
              type="button"
              className={classes.cell}
              tabIndex={step === inHand ? 0 : -1}
              aria-current={step === picked || undefined}
              aria-label={cellName(step, value, scale, step === lowest)}
              data-lowest={step === lowest || undefined}
              onClick={() => onPick(step)}
              onMouseEnter={() => setHovered(step)}
              onMouseLeave={() => setHovered(null)}
            >
              <span className={classes.well} aria-hidden>
                <i style={{ height: `${Math.max(6, share * 100)}%`, background: heatColor(share) }} />
              </span>
              <span className={classes.number} aria-hidden>
                {formatNarrow(value, scale)}
              </span>
            </button>
          );
        })}
      </div>
      <p className={classes.words} aria-hidden>
        {shown === null
          ? lowest !== null && cellName(lowest, scores[lowest] ?? null, scale, true)
          : cellName(shown, scores[shown] ?? null, scale, shown === lowest)}
      </p>
    </div>
  );
}

function cellName(step: number, value: StepScore, scale: Scale, lowest: boolean): string {
  const number = scale === "log_ratio" ? "reward" : "score";
  return `Step ${step + 1}: ${number} ${formatStepScore(value, scale)}${lowest ? ", the lowest" : ""}`;
}

/** The step that a key moves to from `step`; null for keys that the strip does not handle. */
export function nextStep(key: string, step: number, steps: number): number | null {
  const to = {
    ArrowRight: step + 1,
    ArrowDown: step + 1,
    ArrowLeft: step - 1,
    ArrowUp: step - 1,
    Home: 0,
    End: steps - 1,
  }[key];
  if (to === undefined) return null;
  return Math.min(steps - 1, Math.max(0, to));
}

/** The key to colours and heights, once for a page of strips. */
export function HeatKey({ scale = "probability" }: { scale?: Scale }) {
  return (
    <p className={classes.key}>
      <span>{scale === "log_ratio" ? "low reward" : "0: surely wrong"}</span>
      <i aria-hidden />
      <span>{scale === "log_ratio" ? "high reward" : "1: surely right"}</span>
    </p>
  );
}
