import { useState } from "react";
import type { BestOfN, EvaluationGroup, EvaluationReport } from "@/api/trainingTypes";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { FigureRows } from "@/ui/charts/FigureRows";
import { LineChart } from "@/ui/charts/LineChart";
import { FIGURES } from "@/ui/figureWords";
import { countOf, formatCount, formatPercent } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { formatTraceScore } from "@/ui/trace/score";
import { ReliabilityChart } from "./CalibrationChart";
import classes from "./prms.module.css";
import { estimateWords, figureNote, figureTone, PICKS } from "./prmWords";

/** Every figure as a dot with its interval, next to the baseline. */
export function FiguresPanel({ report }: { report: EvaluationReport }) {
  const order = Object.keys(FIGURES);
  const figures = report.figures.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  return (
    <Panel
      title="Figures"
      note={`${countOf(report.traces, "trace")} of ${countOf(report.problems, "problem")}, each figure next to the baseline (position and length alone) on the same traces. A figure is better or worse if the whole 95 % interval of the difference is on one side of 0, and undecided if the interval includes 0.`}
    >
      <FigureRows
        baselineName="position and length alone"
        rows={figures.map((figure) => ({
          ...figure,
          key: figure.name,
          name: FIGURES[figure.name]?.name ?? figure.name,
          means: FIGURES[figure.name]?.means ?? "",
          tone: figureTone(figure, report.beats_baseline),
          note: figureNote(figure, report.beats_baseline),
        }))}
      />
    </Panel>
  );
}

export function CalibrationOf({ report }: { report: EvaluationReport }) {
  const ece = report.figures.find((figure) => figure.name === "ece")?.value ?? null;
  return <ReliabilityChart bins={report.reliability} ece={ece} />;
}

/** Whether long traces simply score low. */
export function LengthChart({ length }: { length: EvaluationReport["length"] }) {
  const bins = length.bins;
  const name = (bin: (typeof bins)[number]) =>
    bin.fewest === bin.most ? `${bin.fewest}` : `${bin.fewest}–${bin.most}`;
  const middle = (bin: (typeof bins)[number]) => (bin.fewest + bin.most) / 2;
  return (
    <ChartFigure
      title="Score against length"
      note={length.correlation === null ? "" : `rank correlation ${length.correlation.toFixed(2)}`}
      empty={bins.length === 0 ? "No trace in this set has a score." : undefined}
      table={{
        head: ["Steps", "Median score", "Right answers", "Traces"],
        rows: bins.map((bin) => [
          name(bin),
          formatTraceScore(bin.median),
          formatPercent(bin.correct * bin.n, bin.n),
          formatCount(bin.n),
        ]),
      }}
    >
      <LineChart
        lines={[
          {
            key: "score",
            name: "median trace score (log)",
            tone: "focus",
            dots: true,
            points: bins.map((bin) => ({ x: middle(bin), y: bin.median })),
          },
        ]}
        xName="steps of the trace"
        yName="Score"
        formatX={(x) => bins.filter((bin) => middle(bin) === x).map(name)[0] ?? ""}
        digits={1}
        summary={`Median score by number of steps, rank correlation ${length.correlation?.toFixed(2) ?? "undefined"}.`}
      />
    </ChartFigure>
  );
}

/** Best of N: how many problems are solved when each method picks one of n traces. */
export function PickingChart({ best, of }: { best: BestOfN | null; of?: string }) {
  const [more, setMore] = useState(false);
  const names = best ? Object.keys(PICKS).filter((name) => best.curves[name]) : [];
  const shown = names.filter((name) => more || PICKS[name]?.first);
  const sizes = best?.sizes ?? [];
  const banded = shown.some((name) => best?.curves[name]?.some((one) => one.low !== null));
  return (
    <ChartFigure
      title={of ? `Best of N, ${of}` : "Best of N"}
      note={
        best
          ? `${countOf(best.problems, "problem")}, ${countOf(best.traces, "graded trace")}; every problem has at least ${sizes.at(-1)}${banded ? `; bands: 95 % intervals` : `; 95 %: n/a (${countOf(best.problems, "problem")})`}`
          : ""
      }
      empty={
        best
          ? undefined
          : "Best of N needs at least two problems with four graded and scored traces each. Grade more traces of these problems."
      }
      table={{
        head: ["Picked by", ...sizes.map((size) => `of ${size}`)],
        rows: names.map((name) => [PICKS[name]?.name ?? name, ...(best?.curves[name] ?? []).map(estimateWords)]),
      }}
    >
      <LineChart
        doubling
        height={300}
        lines={shown.flatMap((name) => {
          const words = PICKS[name];
          const curve = best?.curves[name] ?? [];
          if (!words) return [];
          const points = curve.map(({ value, low, high }, place) => ({
            x: sizes[place] ?? 0,
            y: value ?? 0,
            low,
            high,
          }));
          return [{ key: name, name: words.name, tone: words.tone, dashed: words.dashed ?? false, points }];
        })}
        xName="traces to pick from (N)"
        yName="problems solved"
        formatX={formatCount}
        percent
        summary={shown
          .map((name) => `${PICKS[name]?.name} ends at ${estimateWords(best?.curves[name]?.at(-1) ?? null)}`)
          .join(", ")}
      />
      {names.length > shown.length || more ? (
        <label className={classes.more}>
          <input type="checkbox" checked={more} onChange={() => setMore(!more)} /> show every way to pick
        </label>
      ) : null}
    </ChartFigure>
  );
}

const GROUPS = { subject: "By subject", level: "By level", generator: "By generator" } as const;

/** Step AUC of each subject, level and generator; nothing if all traces belong to one. */
export function GroupsPanel({ groups }: { groups: EvaluationReport["groups"] }) {
  const known = (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).filter((name) => groups[name].length > 0);
  if (known.length === 0) return null;
  return (
    <div className={classes.charts}>
      {known.map((name) => (
        <ChartFigure
          key={name}
          title={GROUPS[name]}
          note="step AUC"
          table={{
            head: ["", "Step AUC", "First error found", "ProcessBench F1", "Traces"],
            rows: groups[name].map((group) => [
              group.group || "not given",
              estimateWords(group.auc),
              estimateWords(group.first_error_accuracy),
              estimateWords(group.processbench_f1),
              formatCount(group.traces),
            ]),
          }}
        >
          <FigureRows rows={groups[name].map(groupRow)} />
        </ChartFigure>
      ))}
    </div>
  );
}

function groupRow(group: EvaluationGroup) {
  return {
    key: group.group,
    name: group.group || "not given",
    means: countOf(group.traces, "trace"),
    ...group.auc,
    tone: "focus" as const,
    note: `first error found in ${group.first_error_accuracy.value === null ? "n/a" : formatPercent(group.first_error_accuracy.value, 1)}`,
  };
}
