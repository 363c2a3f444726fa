import { formatPercent } from "@/ui/format";
import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";
import { intervalPart, type Uncertain } from "./estimateWords";

export interface Interval {
  key: string;
  name: string;
  /** How many, out of how many. */
  part: number;
  whole: number;
  /** Where the true share most likely is, 0 to 1; null if nothing was counted. */
  low: number | null;
  high: number | null;
  /** Why there is no interval, and how many problems it would be based on. */
  clusters?: number | null;
  no_interval?: Uncertain["no_interval"];
  tone: Tone;
}

/** "62 % (8 of 13), 95 %: 35 to 82 %", or why there is no interval. */
export function intervalWords(row: Omit<Interval, "key" | "name" | "tone">): string {
  const { part, whole, low, high } = row;
  if (whole === 0) return "none finished yet";
  const share = `${formatPercent(part, whole)} (${part} of ${whole})`;
  if (low !== null && high !== null) return `${share}, 95 %: ${Math.round(low * 100)} to ${Math.round(high * 100)} %`;
  const why = intervalPart({ ...row, value: part / whole }, String);
  return why ? `${share}, ${why}` : share;
}

/**
 * Shares with their uncertainty on one axis from 0 to 100 %: a dot for the measured share, a band for where the true
 * share may be.
 */
export function IntervalRows({ rows }: { rows: Interval[] }) {
  return (
    <div className={classes.intervals}>
      <ul>
        {rows.map((row) => (
          <li key={row.key} style={toneStyle(row.tone)}>
            <span>{row.name}</span>
            <span className={classes.span} aria-hidden>
              {row.whole > 0 && (
                <>
                  {row.low !== null && row.high !== null && (
                    <i style={{ left: `${row.low * 100}%`, width: `${(row.high - row.low) * 100}%` }} />
                  )}
                  <b style={{ left: `${(row.part / row.whole) * 100}%` }} />
                </>
              )}
            </span>
            <small>{intervalWords(row)}</small>
          </li>
        ))}
      </ul>
      <div className={classes.percents} aria-hidden>
        {[0, 25, 50, 75, 100].map((percent) => (
          <span key={percent}>{percent} %</span>
        ))}
      </div>
    </div>
  );
}
