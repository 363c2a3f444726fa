import { type Tone, toneStyle } from "./ChartFigure";
import { decimal, intervalPart, type Uncertain } from "./estimateWords";
import classes from "./lines.module.css";

interface FigureRow extends Uncertain {
  key: string;
  name: string;
  /** Its meaning in a few words. */
  means: string;
  /** The value to compare it with; null if that is undefined. */
  baseline?: number | null;
  tone: Tone;
  /** The text next to the number: out of how many, or which is ahead. */
  note: string;
}

/** "0.840, 95 %: 0.79 to 0.88" */
export function figureWords(figure: Uncertain): string {
  const part = intervalPart(figure, decimal);
  if (figure.value === null) return "n/a";
  return part ? `${decimal(figure.value, 3)}, ${part}` : decimal(figure.value, 3);
}

/**
 * Figures between 0 and 1 (`value` null: undefined), each a dot on a track with its band, and a bar for the baseline.
 */
export function FigureRows({ rows, baselineName }: { rows: FigureRow[]; baselineName?: string }) {
  const tones = new Set(rows.map(({ tone }) => tone));
  const [tone = "zero"] = tones.size === 1 ? tones : [];
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
      <p className={classes.key} style={toneStyle(tone)} aria-hidden>
        <span>
          <b /> measured
        </span>
        {rows.some((row) => row.low !== null) && (
          <span>
            <i /> 95 % interval
          </span>
        )}
        {baselineName && (
          <span>
            <u /> {baselineName}
          </span>
        )}
      </p>
    </>
  );
}
