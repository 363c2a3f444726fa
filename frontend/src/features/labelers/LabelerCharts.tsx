import { Link } from "react-router";
import type { LabelerPage } from "@/api/deskTypes";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { withInterval } from "@/ui/charts/estimateWords";
import { LineChart } from "@/ui/charts/LineChart";
import { countOf, formatDateTime } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { saidWords } from "@/ui/trace/words";
import classes from "./labelers.module.css";
import { driftSays, driftWords, newestSays, seconds } from "./labelerWords";

// With fewer than five, an interval is as wide as the chart.
const FIRST_TOLD = 5;
const MOST_MISSED = 5;
const percent = (value: number) => `${Math.round(value * 100)} %`;

/** The share of hidden gold answered as expected, after each answer, and the answers that were not. */
export function GoldSoFar({ slug, gold }: { slug: string; gold: LabelerPage["gold"] }) {
  const told = gold.results.filter(({ so_far }) => so_far.n >= FIRST_TOLD);
  const missed = gold.results.filter((one) => !one.passed).reverse();
  return (
    <Panel title="Gold so far" note="Share of hidden gold answered as expected, after each answer.">
      <ChartFigure
        bare
        title="Share so far"
        table={{
          head: ["Answer", "When", "As expected", "Share so far"],
          rows: gold.results.map((one) => [
            one.so_far.n,
            formatDateTime(one.at),
            one.passed ? "yes" : "no",
            withInterval(one.so_far, percent),
          ]),
        }}
        empty={
          told.length < 2
            ? `n/a: ${countOf(gold.results.length, "answer")} to hidden gold; at least ${FIRST_TOLD + 1} are needed.`
            : undefined
        }
      >
        <LineChart
          percent
          height={210}
          yRange={[0, 1]}
          xName="answers to gold"
          yName="As expected so far"
          summary="The share of hidden gold answered as expected so far; the numbers are in the table below."
          lines={[
            {
              key: "gold",
              name: "as expected so far, with its 95 % interval",
              tone: "plus",
              points: told.map(({ so_far }) => ({
                x: so_far.n,
                y: so_far.value ?? 0,
                low: so_far.low,
                high: so_far.high,
              })),
            },
          ]}
        />
      </ChartFigure>
      {missed.length > 0 && (
        <ul className={classes.missed}>
          {missed.slice(0, MOST_MISSED).map((one) => (
            <li key={one.at}>
              {one.trace_id === null ? (
                "A trace that you are labeling"
              ) : (
                <Link to={`/projects/${slug}/traces/${one.trace_id}`}>Trace {one.trace_id}</Link>
              )}
              : {saidWords(one.verdict, "none given").toLowerCase()}; accepted:{" "}
              {one.acceptable.map((step) => saidWords(step, "").toLowerCase().replace("first error: ", "")).join(", ")}
            </li>
          ))}
          {missed.length > MOST_MISSED && <li>and {missed.length - MOST_MISSED} more</li>}
        </ul>
      )}
    </Panel>
  );
}

/** The median time per step on each day with labels, and whether it drifts. */
export function PaceByDay({ pace, floorMs }: { pace: LabelerPage["pace"]; floorMs: number }) {
  const days = pace.days.filter((day) => day.seconds_a_step !== null);
  const first = days[0] ? dayNumber(days[0].day) : 0;
  return (
    <Panel title="Pace" note={driftSays(pace.drift_a_week)}>
      <ChartFigure
        bare
        title="Time per step by day"
        table={{
          head: ["Day (UTC)", "Labels", "Hasty", "Median time per step"],
          rows: days.map((day) => [day.day, day.labels, day.hasty, seconds(day.seconds_a_step)]),
        }}
        empty={
          days.length < 2 ? `n/a: ${countOf(days.length, "day")} with timed labels; at least 2 are needed.` : undefined
        }
      >
        <LineChart
          height={210}
          digits={0}
          xName="day"
          yName="Seconds per step"
          formatX={(day) => dayNames.format((first + day) * DAY_MS)}
          summary="The median time per step by day; the numbers are in the table below."
          lines={[
            {
              key: "pace",
              name: "median seconds per step",
              tone: "focus",
              dots: true,
              points: days.map((day) => ({ x: dayNumber(day.day) - first, y: day.seconds_a_step ?? 0 })),
            },
            {
              key: "floor",
              name: `hasty below ${(floorMs / 1000).toFixed(1)} s`,
              tone: "warn",
              dashed: true,
              points: [],
              level: floorMs / 1000,
            },
          ]}
        />
      </ChartFigure>
      <p className={classes.quiet}>
        {newestSays(pace)} Drift without hasty labels: {driftWords(pace.drift_a_week)}.
      </p>
    </Panel>
  );
}

const DAY_MS = 24 * 3600 * 1000;
const dayNumber = (day: string) => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
const dayNames = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
