import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";

export interface EstimateRow {
  key: string;
  name: string;
  /** Null: n/a, for the reason in `words`. */
  value: number | null;
  low: number | null;
  high: number | null;
  /** The figure as a person says it, with what it rests on. */
  words: string;
  tone: Tone;
}

/** Where a figure stands on the axis, in percent; below its left end it stands at that end. */
function place(value: number): number {
  return Math.min(100, Math.max(0, value * 100));
}

/** Figures between 0 and 1 with their intervals on one axis: a dot where it was measured, a band where it may really be. */
export function EstimateRows({ rows }: { rows: EstimateRow[] }) {
  return (
    <div className={classes.intervals}>
      <ul>
        {rows.map((row) => (
          <li key={row.key} style={toneStyle(row.tone)}>
            <span>{row.name}</span>
            <span className={classes.span} aria-hidden>
              {row.value !== null && (
                <>
                  {row.low !== null && row.high !== null && (
                    <i style={{ left: `${place(row.low)}%`, width: `${place(row.high) - place(row.low)}%` }} />
                  )}
                  <b style={{ left: `${place(row.value)}%` }} />
                </>
              )}
            </span>
            <small>{row.words}</small>
          </li>
        ))}
      </ul>
      <div className={classes.percents} aria-hidden>
        {["0", "0.25", "0.5", "0.75", "1"].map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
    </div>
  );
}
