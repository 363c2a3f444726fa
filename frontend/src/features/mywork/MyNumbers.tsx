import type { MyStats } from "@/api/types";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { ColumnChart } from "@/ui/charts/ColumnChart";
import { type Share, ShareBar } from "@/ui/charts/ShareBar";
import { type Day, fillDays } from "@/ui/charts/scale";
import { countOf, formatCount, formatDuration, formatPercent } from "@/ui/format";
import { Figure, Figures, Panel } from "@/ui/Panel";
import classes from "./mywork.module.css";

/** Your own counts and active time: the same numbers that the project's admin sees. */
export function MyNumbers({ stats }: { stats: MyStats }) {
  const days = fillDays(stats.by_day, new Date().toISOString().slice(0, 10));
  return (
    <Panel
      title="Your numbers"
      note="The project’s admins see the same numbers. For a screening, only the time is counted."
    >
      <Figures>
        <Figure
          name="Submitted today"
          value={formatCount(stats.submitted_today)}
          note={`${countOf(stats.submitted, "label")} in all`}
        />
        <Figure
          name="Active today"
          value={formatDuration(stats.active_ms_today)}
          note={`${formatDuration(stats.active_ms)} in all`}
        />
        <Figure name="Steps rated" value={formatCount(stats.steps_rated)} />
        <Figure
          name="Hasty"
          value={`${formatCount(stats.hasty)} of ${formatCount(stats.judged)}`}
          note={`labels in less than ${(stats.floor_ms / 1_000).toFixed(1)} s a step`}
        />
        {stats.round && (
          <Figure
            name={`Round ${stats.round.number}`}
            value={`${formatCount(stats.round.done)} of ${formatCount(stats.round.total)}`}
            note={stats.round.name}
          />
        )}
      </Figures>
      {stats.hasty > 0 && (
        <p className={classes.hasty}>
          Hasty: rated in less time than it takes to read the steps, for example after a slip of the keys. These labels
          are kept but may be left out of figures and training. The diary above marks them and can show only those.
          Check them, and revise those that you did not read.
        </p>
      )}
      <div className={classes.charts}>
        <Ratings counts={stats.rating_counts} />
        <DayChart
          title="Labels by day"
          days={days}
          countOn={(day) => day.labels}
          write={(value) => countOf(value, "label")}
          tone="plus"
        />
        <DayChart
          title="Active minutes by day"
          days={days}
          countOn={(day) => Math.round(day.active_ms / 60_000)}
          write={(value) => `${formatCount(value)} min`}
          tone="focus"
        />
      </div>
    </Panel>
  );
}

function Ratings({ counts }: { counts: MyStats["rating_counts"] }) {
  const shares: Share[] = [
    { name: "+1 positive", count: counts["1"] ?? 0, tone: "plus" },
    { name: "0 neutral", count: counts["0"] ?? 0, tone: "zero" },
    { name: "−1 negative", count: counts["-1"] ?? 0, tone: "minus" },
  ];
  const whole = shares.reduce((sum, share) => sum + share.count, 0);
  const rows = shares.map((share) => [share.name, formatCount(share.count), formatPercent(share.count, whole)]);
  return (
    <ChartFigure
      title="Your ratings"
      table={{ head: ["Rating", "Count", "Share"], rows }}
      empty={whole === 0 ? "No step rated yet." : undefined}
    >
      <ShareBar shares={shares} />
    </ChartFigure>
  );
}

interface DayChartProps {
  title: string;
  days: Day[];
  countOn: (day: Day) => number;
  write: (value: number) => string;
  tone: "plus" | "focus";
}

const dayLabel = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function DayChart({ title, days, countOn, write, tone }: DayChartProps) {
  const named = days.map((day) => ({ name: dayLabel.format(Date.parse(day.day)), day: day.day, value: countOn(day) }));
  const total = named.reduce((sum, day) => sum + day.value, 0);
  return (
    <ChartFigure
      title={title}
      table={{ head: ["Day", title], rows: named.map((day) => [day.name, day.value]) }}
      empty={total === 0 ? "No labels in the last two weeks." : undefined}
    >
      <ColumnChart
        tone={tone}
        height={150}
        labelWidth={52}
        lastNamed
        summary={`${title}: ${write(total)} in ${days.length} days`}
        columns={named.map((day) => ({
          key: day.day,
          label: day.name,
          name: day.name,
          value: day.value,
          shown: write(day.value),
        }))}
      />
    </ChartFigure>
  );
}
