import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";
import { decimal } from "./estimateWords";

export interface EstimateRow {
  key: string;
  name: string;
  /** Null: n/a, for the reason given in `words`. */
  value: number | null;
  low: number | null;
  high: number | null;
  /** The figure in readable form, with what it is based on. */
  words: string;
  tone: Tone;
}

/**
 * Figures of at most 1 with their intervals on one axis: a dot for the measured value, a band for where the true value
 * may be. The axis begins at 0, or at −1 or lower if any value or band is below 0: worse than chance is not drawn as
 * chance.
 */
export function EstimateRows({ rows }: { rows: EstimateRow[] }) {
  const lowest = Math.min(0, ...rows.flatMap((row) => (row.value === null ? [] : [row.value, row.low ?? row.value])));
  const start = lowest < 0 ? Math.min(-1, Math.floor(lowest)) : 0;
  const place = (value: number) => Math.min(100, Math.max(0, ((value - start) / (1 - start)) * 100));
  const marks = [0, 1, 2, 3, 4].map((step) => start + ((1 - start) * step) / 4);
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
        {marks.map((mark) => (
          <span key={mark}>{decimal(mark, Number.isInteger(mark) ? 0 : Number.isInteger(mark * 2) ? 1 : 2)}</span>
        ))}
      </div>
    </div>
  );
}
