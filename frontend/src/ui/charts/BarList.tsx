import { formatCount, formatPercent } from "@/ui/format";
import { toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";
import type { Share } from "./ShareBar";

/**
 * A named bar for each kind, with its length relative to the largest, and the count and percentage of all next to it.
 */
export function BarList({ bars }: { bars: Share[] }) {
  const whole = bars.reduce((sum, bar) => sum + bar.count, 0);
  const longest = Math.max(1, ...bars.map((bar) => bar.count));
  return (
    <ul className={classes.bars}>
      {bars.map((bar) => (
        <li key={bar.name}>
          <span>{bar.name}</span>
          <span className={classes.bar} style={toneStyle(bar.tone)} aria-hidden>
            <i style={{ width: `${(bar.count / longest) * 100}%`, minWidth: bar.count > 0 ? 3 : 0 }} />
          </span>
          <strong>
            {formatCount(bar.count)} <small>{formatPercent(bar.count, whole)}</small>
          </strong>
        </li>
      ))}
    </ul>
  );
}
