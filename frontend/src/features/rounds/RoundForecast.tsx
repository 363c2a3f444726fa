import { useForecast } from "@/api/forecast";
import { forecastSentence, goldOnTop, hasRange } from "@/ui/forecastWords";
import { countOf } from "@/ui/format";
import { SkeletonText } from "@/ui/states";
import classes from "./rounds.module.css";

interface RoundForecastProps {
  slug: string;
  /** How many labels the round is for; undefined until known. */
  labels: number | undefined;
}

/** What this many labels would take, in one sentence: hours, money and the day, after what open rounds still want. */
export function RoundForecast({ slug, labels }: RoundForecastProps) {
  const forecast = useForecast(slug, labels, labels !== undefined && labels > 0);
  if (labels === undefined || labels === 0) return null;
  if (!forecast.data) {
    return forecast.isPending ? (
      <p className={classes.forecast} aria-hidden>
        <SkeletonText characters={170} />
      </p>
    ) : null;
  }
  const { ahead } = forecast.data;
  return (
    <p className={classes.forecast} aria-label="Forecast" role="note">
      {forecastSentence(forecast.data)}.{ahead > 0 && ` ${countOf(ahead, "label")} of open rounds come first.`}
      {hasRange(forecast.data) && " Ranges are 95 % intervals."}
      {goldOnTop(forecast.data.gold_on_top)}
    </p>
  );
}
