import { formatCount, formatPercent } from "@/ui/format";
import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";

export interface Share {
  name: string;
  count: number;
  tone: Tone;
}

/** One bar divided into the shares of a whole; the legend shows each share's name, count and percentage. */
export function ShareBar({ shares, legend = true, thin }: { shares: Share[]; legend?: boolean; thin?: boolean }) {
  const whole = shares.reduce((sum, share) => sum + share.count, 0);
  const spoken = shares.map((share) => `${share.name} ${formatCount(share.count)}`).join(", ");
  return (
    <>
      <div className={`${classes.track} ${thin ? classes.thin : ""}`} role="img" aria-label={spoken}>
        {shares
          .filter((share) => share.count > 0)
          .map((share) => (
            <span
              key={share.name}
              className={classes.share}
              style={{ flexGrow: share.count, ...toneStyle(share.tone) }}
            />
          ))}
      </div>
      {legend && (
        <ul className={classes.legend}>
          {shares.map((share) => (
            <li key={share.name} style={toneStyle(share.tone)}>
              <i aria-hidden />
              <span>{share.name}</span>
              <strong>
                {formatCount(share.count)}
                <small>{formatPercent(share.count, whole)}</small>
              </strong>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
