import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";

interface IntervalBarProps {
  /** The measured share, 0 to 1; null if nothing was counted. */
  value: number | null;
  low: number | null;
  high: number | null;
  tone: Tone;
  /** A line to compare with, 0 to 1. */
  bar?: number;
}

/** A share with its uncertainty on one line from 0 to 100 %. This is only the picture; the text is next to it. */
export function IntervalBar({ value, low, high, tone, bar }: IntervalBarProps) {
  return (
    <span className={classes.span} style={{ ...toneStyle(tone), display: "block", minWidth: 120 }} aria-hidden>
      {low !== null && high !== null && <i style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />}
      {bar !== undefined && <u style={{ left: `${bar * 100}%` }} />}
      {value !== null && <b style={{ left: `${value * 100}%` }} />}
    </span>
  );
}
