import type { GoldItem } from "@/api/qualityTypes";
import { IntervalBar } from "@/ui/charts/IntervalBar";
import { intervalWords } from "@/ui/charts/IntervalRows";
import classes from "./gold.module.css";

/** How many passed, as a dot with the interval that most likely contains the true share. */
export function PassRate({ tally }: { tally: GoldItem["tally"] }) {
  if (tally.n === 0) return <span className={classes.quiet}>nobody met it yet</span>;
  return (
    <div className={classes.rate}>
      <IntervalBar
        value={tally.rate}
        low={tally.low}
        high={tally.high}
        tone={tally.signs.length > 0 ? "warn" : "focus"}
      />
      <small>{intervalWords({ part: tally.passed, whole: tally.n, low: tally.low, high: tally.high })}</small>
    </div>
  );
}
