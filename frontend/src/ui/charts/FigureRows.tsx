import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./lines.module.css";

export interface FigureRow {
  key: string;
  name: string;
  /** What it means, in a few words. */
  means: string;
  /** 0 to 1; null where it is undefined. */
  value: number | null;
  low: number | null;
  high: number | null;
  /** What to hold it against; null where that is undefined. */
  baseline?: number | null;
  tone: Tone;
  /** Beside the number: of how many, or who is ahead. */
  note: string;
}

/** "0.84, likely 0.79 to 0.88" */
export function figureWords({ value, low, high }: Pick<FigureRow, "value" | "low" | "high">): string {
  if (value === null) return "n/a";
  if (low === null || high === null) return value.toFixed(3);
  return `${value.toFixed(3)}, likely ${low.toFixed(2)} to ${high.toFixed(2)}`;
}

/** Figures between 0 and 1, each a dot on a track with its band, and a bar where the baseline stands. */
export function FigureRows({ rows, baselineName }: { rows: FigureRow[]; baselineName?: string }) {
  return (
    <>
      <ul className={classes.figures}>
        {rows.map((row) => (
          <li key={row.key} style={toneStyle(row.tone)}>
            <span>
              {row.name}
              <small>{row.means}</small>
            </span>
            <span className={classes.track} aria-hidden>
              {row.low !== null && row.high !== null && (
                <i style={{ left: `${row.low * 100}%`, width: `${(row.high - row.low) * 100}%` }} />
              )}
              {row.baseline != null && <u style={{ left: `${row.baseline * 100}%` }} />}
              {row.value !== null && <b style={{ left: `${row.value * 100}%` }} />}
            </span>
            <span className={classes.said}>
              <strong>{figureWords(row)}</strong>
              <small>{row.note}</small>
            </span>
          </li>
        ))}
      </ul>
      <p className={classes.key} aria-hidden>
        <span>
          <b /> measured
        </span>
        <span>
          <i /> 95 % interval
        </span>
        {baselineName && (
          <span>
            <u /> {baselineName}
          </span>
        )}
      </p>
    </>
  );
}
