import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";
import { type Uncertain, withInterval } from "./estimateWords";
import { valueTicks } from "./scale";

export interface ValueRow extends Uncertain {
  key: string | number;
  name: string;
  tone: Tone;
  /** The text below the row; by default the value and its interval. */
  words?: string;
}

interface ValueRowsProps {
  rows: ValueRow[];
  format: (value: number) => string;
  /** The right end of the axis; by default the largest figure. */
  top?: number;
}

/**
 * Figures of any unit with their uncertainty on one axis from 0: a dot for the measured value, a band for where the
 * true value may be.
 */
export function ValueRows({ rows, format, top }: ValueRowsProps) {
  const ticks = valueTicks(top ?? Math.max(0, ...rows.map((row) => row.high ?? row.value ?? 0)));
  const end = ticks.at(-1) ?? 1;
  const place = (value: number) => `${Math.min(100, (value / end) * 100)}%`;
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
                    <i style={{ left: place(row.low), width: place(Math.min(end, row.high) - row.low) }} />
                  )}
                  <b style={{ left: place(row.value) }} />
                </>
              )}
            </span>
            <small>{row.words ?? valueWords(row, format)}</small>
          </li>
        ))}
      </ul>
      <div className={classes.percents} aria-hidden>
        {ticks.map((tick) => (
          <span key={tick}>{format(tick)}</span>
        ))}
      </div>
    </div>
  );
}

/** "4.2 min, 95 %: 3.9 to 4.6 min" */
export function valueWords(row: Uncertain, format: (value: number) => string): string {
  return row.value === null ? "n/a: nothing to count yet" : withInterval(row, format);
}
