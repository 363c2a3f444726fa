import type { Overview } from "@/api/projectTypes";
import { BarList } from "@/ui/charts/BarList";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { ColumnChart } from "@/ui/charts/ColumnChart";
import { type Share, ShareBar } from "@/ui/charts/ShareBar";
import { fillDays } from "@/ui/charts/scale";
import { countOf, formatCount, formatDuration, formatPercent } from "@/ui/format";
import { FINISH_WORDS, OUTCOME_WORDS } from "@/ui/trace/words";
import classes from "./overview.module.css";

interface ChartProps {
  overview: Overview;
}

const sum = (shares: Share[]) => shares.reduce((total, share) => total + share.count, 0);

function shareTable(head: string, shares: Share[]) {
  const whole = sum(shares);
  return {
    head: [head, "Count", "Share"],
    rows: shares.map((share) => [share.name, formatCount(share.count), formatPercent(share.count, whole)]),
  };
}

/**
 * "614 labels, including imported ones": what charts of all labels count, while the figures above count only people's.
 */
const counted = ({ labelers }: ChartProps["overview"], count: string) =>
  labelers.some(({ kind, labels }) => kind === "imported" && labels > 0) ? `${count}, including imported ones` : count;

export function LabelMix({ overview }: ChartProps) {
  const mix = overview.label_mix;
  const shares: Share[] = [
    { name: "+1 positive", count: mix["1"], tone: "plus" },
    { name: "0 neutral", count: mix["0"], tone: "zero" },
    { name: "−1 negative", count: mix["-1"], tone: "minus" },
  ];
  const rated = sum(shares);
  return (
    <ChartFigure
      title="Step ratings"
      note={counted(overview, countOf(rated, "step"))}
      table={shareTable("Rating", shares)}
      empty={rated === 0 ? "No step has been rated yet." : undefined}
    >
      <div className={classes.mix}>
        <ShareBar shares={shares} />
      </div>
    </ChartFigure>
  );
}

export function FinishMix({ overview }: ChartProps) {
  const tones = { found_error: "minus", solution: "plus", bad_problem: "warn", give_up: "zero" } as const;
  const bars: Share[] = (Object.keys(tones) as (keyof typeof tones)[]).map((reason) => ({
    name: FINISH_WORDS[reason] ?? reason,
    count: overview.finish_mix[reason] ?? 0,
    tone: tones[reason],
  }));
  return (
    <ChartFigure
      title="How labels ended"
      note={counted(overview, countOf(sum(bars), "label"))}
      table={shareTable("Ending", bars)}
      empty={sum(bars) === 0 ? "No label has been submitted yet." : undefined}
    >
      <BarList bars={bars} />
    </ChartFigure>
  );
}

export function OutcomeMix({ overview }: ChartProps) {
  const tones = { correct: "plus", wrong: "minus", ungraded: "zero" } as const;
  const shares: Share[] = (Object.keys(tones) as (keyof typeof tones)[]).map((outcome) => ({
    name: OUTCOME_WORDS[outcome] ?? outcome,
    count: overview.outcomes[outcome] ?? 0,
    tone: tones[outcome],
  }));
  return (
    <ChartFigure
      title="Outcomes of the traces"
      note={countOf(sum(shares), "trace")}
      table={shareTable("Outcome", shares)}
      empty={sum(shares) === 0 ? "No traces yet." : undefined}
    >
      <ShareBar shares={shares} />
    </ChartFigure>
  );
}

export function ErrorPositions({ overview }: ChartProps) {
  const positions = overview.first_error_histogram;
  const total = positions.reduce((count, { n }) => count + n, 0);
  const last = Math.max(0, ...positions.map(({ step }) => step));
  const byStep = new Map(positions.map(({ step, n }) => [step, n]));
  const columns = Array.from({ length: positions.length === 0 ? 0 : last + 1 }, (_, step) => ({
    key: String(step),
    label: String(step + 1),
    name: `Step ${step + 1}`,
    value: byStep.get(step) ?? 0,
    shown: countOf(byStep.get(step) ?? 0, "first error"),
  }));
  return (
    <ChartFigure
      title="Where the first error is"
      note={total === 0 ? "by step" : counted(overview, `${countOf(total, "first error")} by step`)}
      table={{
        head: ["Step", "First errors"],
        rows: columns.map((column) => [column.label, formatCount(column.value)]),
      }}
      empty={total === 0 ? "No error has been marked yet." : undefined}
    >
      <ColumnChart
        columns={columns}
        tone="minus"
        axes={["step", "labels"]}
        summary={`${countOf(total, "first error")} over steps 1 to ${last + 1}; the numbers are in the table below.`}
      />
    </ChartFigure>
  );
}

const dayNames = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

export function LabelsPerDay({ overview }: ChartProps) {
  const total = overview.by_day.reduce((count, day) => count + day.labels, 0);
  const today = new Date().toISOString().slice(0, 10);
  const columns = fillDays(overview.by_day, today).map(({ day, labels, active_ms }) => {
    const name = dayNames.format(new Date(day));
    const shown = labels > 0 ? `${countOf(labels, "label")}, ${formatDuration(active_ms)} active` : "no labels";
    return { key: day, label: name, name, value: labels, shown, active_ms };
  });
  return (
    <ChartFigure
      title="Labels per day"
      note={countOf(total, "label")}
      table={{
        head: ["Day", "Labels", "Active time"],
        rows: columns
          .filter((column) => column.value > 0)
          .map((column) => [column.name, formatCount(column.value), formatDuration(column.active_ms)]),
      }}
      empty={total === 0 ? "No label has been submitted yet." : undefined}
    >
      <ColumnChart
        columns={columns}
        tone="focus"
        labelWidth={52}
        lastNamed
        summary={`${countOf(total, "label")} over ${countOf(columns.length, "day")}; the numbers are in the table below.`}
      />
    </ChartFigure>
  );
}
