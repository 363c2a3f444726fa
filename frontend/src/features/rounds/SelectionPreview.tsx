import type { Round } from "@/api/projectTypes";
import type { Selection } from "@/api/roundTypes";
import { BarList } from "@/ui/charts/BarList";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { ColumnChart } from "@/ui/charts/ColumnChart";
import { type Distribution, ScoreDistributions } from "@/ui/charts/ScoreDistributions";
import { formatEdge } from "@/ui/charts/scoreAxis";
import { ExplainedNumbers } from "@/ui/Explained";
import { countOf, formatCount } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { SampleTraces } from "./SampleTraces";
import classes from "./SelectionPreview.module.css";
import { leftOut, REASON_ORDER, REASONS, selectionWarnings } from "./selectionWords";
import { useSelection } from "./stagedQueries";

/** What was chosen and left out, and traces to judge the choice by. */
export function SelectionPreview({ slug, round }: { slug: string; round: Round }) {
  const selection = useSelection(round);
  if (selection.isError && !selection.data) {
    return <ErrorState inline error={selection.error} retry={() => void selection.refetch()} />;
  }
  if (!selection.data) return <SkeletonLines lines={8} label="Loading the selection" />;
  const { data } = selection;
  return (
    <>
      {selectionWarnings(data, { k: round.config.k ?? null, mix: { ...round.config.mix } }).map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <Chosen selection={data} />
      <div className={classes.charts}>
        <Scores selection={data} />
        <PerProblem selection={data} />
        <Drops selection={data} />
      </div>
      <SampleTraces slug={slug} sample={data.sample} />
    </>
  );
}

function Chosen({ selection }: { selection: Selection }) {
  const { chosen, pool } = selection;
  const all = REASON_ORDER.reduce((sum, reason) => sum + (chosen[reason] ?? 0), 0);
  return (
    <Panel
      title={`${countOf(all, "trace")} chosen`}
      note={`From ${countOf(pool.traces, "trace")} of ${countOf(pool.problems, "problem")}: ${formatCount(pool.wrong)} with a wrong answer, ${formatCount(pool.correct)} with a right one, ${formatCount(pool.ungraded)} not graded.`}
    >
      <ExplainedNumbers
        numbers={REASON_ORDER.filter(
          (reason) => chosen[reason] !== undefined && (reason !== "random" || chosen.random),
        ).map((reason) => ({
          name: REASONS[reason].name,
          value: formatCount(chosen[reason] ?? 0),
          means: REASONS[reason].means,
        }))}
      />
    </Panel>
  );
}

function Scores({ selection }: { selection: Selection }) {
  const { histogram, median } = selection;
  const rows: Distribution[] = histogram
    ? [
        { name: "Pool, wrong answers", counts: histogram.pool_wrong, tone: "minus" },
        { name: "Pool, right answers", counts: histogram.pool_correct, tone: "plus" },
        { name: "Chosen by the model", counts: histogram.selected, tone: "focus", median: median.selected },
        { name: "Random control", counts: histogram.control, tone: "zero", median: median.control },
      ]
    : [];
  const edges = histogram?.edges ?? [];
  const pool = [...(histogram?.pool_wrong ?? []), ...(histogram?.pool_correct ?? [])].reduce((sum, n) => sum + n, 0);
  return (
    <div className={classes.wide}>
      <ChartFigure
        title="Scores: how far the model believes a trace"
        note={
          median.pool === null
            ? undefined
            : `the pool here: ${countOf(pool, "trace")} that could be chosen, median ${formatEdge(median.pool)}`
        }
        table={{
          head: ["Score up to", ...rows.map((row) => row.name)],
          rows: edges
            .slice(1)
            .map((edge, bin) => [formatEdge(edge), ...rows.map((row) => formatCount(row.counts[bin] ?? 0))]),
        }}
        empty={histogram ? undefined : "No trace in the pool has a score."}
      >
        <ScoreDistributions
          edges={edges}
          rows={rows}
          axis="score of a trace, on a logarithmic scale"
          summary="Scores of the pool's wrong and right answers, of the chosen traces and of the control; the numbers are in the table below."
        />
        <p className={classes.reads}>
          Each row is scaled to its own highest bar. A score of 1 would mean that every step is certainly right. Wrong
          answers far to the right are the ones that fool the model. The chosen traces should be there, and the control
          should look like the pool.
        </p>
      </ChartFigure>
    </div>
  );
}

function PerProblem({ selection }: { selection: Selection }) {
  const columns = selection.per_problem.map(([number = 0, problems = 0]) => ({
    key: String(number),
    label: String(number),
    name: countOf(number, "trace"),
    value: problems,
    shown: countOf(problems, "problem"),
  }));
  return (
    <ChartFigure
      title="How many were chosen of a problem"
      table={{ head: ["Chosen", "Problems"], rows: columns.map((column) => [column.label, formatCount(column.value)]) }}
      empty={columns.length === 0 ? "Nothing was chosen." : undefined}
    >
      <ColumnChart
        columns={columns}
        tone="focus"
        height={186}
        axes={["traces chosen of a problem", "problems"]}
        summary="How many problems have how many chosen traces; the numbers are in the table below."
      />
    </ChartFigure>
  );
}

function Drops({ selection }: { selection: Selection }) {
  const bars = leftOut(selection).map(({ name, count }) => ({ name, count, tone: "zero" as const }));
  return (
    <ChartFigure
      title="Left out, and why"
      note={countOf(
        bars.reduce((sum, bar) => sum + bar.count, 0),
        "trace",
      )}
      table={{ head: ["Why", "Traces"], rows: bars.map((bar) => [bar.name, formatCount(bar.count)]) }}
      empty={bars.length === 0 ? "Nothing was left out." : undefined}
    >
      <BarList bars={bars} />
    </ChartFigure>
  );
}
