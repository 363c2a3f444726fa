import type { RoundReport } from "@/api/roundTypes";
import { intervalPart } from "@/ui/charts/estimateWords";
import type { Interval } from "@/ui/charts/IntervalRows";
import { countOf, formatCount, formatDuration, formatPercent } from "@/ui/format";
import { timedWordsOf } from "@/ui/timedWords";
import { formatTraceScore } from "@/ui/trace/score";
import { armWords, REASON_ORDER } from "./selectionWords";

/** Return a share from 0 to 1 as percent; "n/a" if nothing was counted. */
function percentOf(share: number | null | undefined): string {
  if (share === null || share === undefined) return "n/a";
  return formatPercent(share, 1);
}

function scoreOf(log: number | null): string {
  return log === null ? "n/a" : formatTraceScore(log);
}

/** Return a report's values for each arm, the model's choice first: JSON from the database keeps no order. */
export function armsInOrder<T>(arms: Record<string, T>): [string, T][] {
  const order: string[] = REASON_ORDER;
  const place = (arm: string) => (order.includes(arm) ? order.indexOf(arm) : order.length);
  return Object.entries(arms).sort(([one], [other]) => place(one) - place(other));
}

/** Return each arm's share of finished wrong-answer tasks in which a labeler found an error. */
export function yieldRows(report: RoundReport): Interval[] {
  return armsInOrder(report.yield)
    .filter(([arm, { n }]) => n > 0 || (report.tasks[arm] ?? 0) > 0)
    .map(([arm, { found, n, share: _, ...interval }]) => ({
      key: arm,
      ...armWords(arm),
      part: found,
      whole: n,
      ...interval,
    }));
}

/** Return, in a sentence, what the model's choice was worth compared with chance. */
export function verdict(report: RoundReport): string {
  const model = report.yield.convincing_wrong;
  const chance = report.yield.control;
  if (!model || model.n === 0) return withoutModel(report);
  const share = `Labelers found an error in ${formatPercent(model.found, model.n)} of the convincing wrong answers (${partOf(model)})`;
  if (!chance || chance.n === 0) return `${share}. Without labeled control tasks it cannot be compared with chance.`;
  const beside = `${share}, and in ${formatPercent(chance.found, chance.n)} of the wrong answers drawn at random (${partOf(chance)})`;
  const apart = (model.low ?? 0) > (chance.high ?? 1) || (model.high ?? 1) < (chance.low ?? 0);
  return apart
    ? `${beside}: the difference is more than chance explains.`
    : `${beside}: too few labels, or too similar, to show a difference.`;
}

/** Show the count: a share based on one label would otherwise read like a finding. */
function partOf({ found, n }: { found: number; n: number }): string {
  return `${found} of ${n}`;
}

function withoutModel(report: RoundReport): string {
  const [drawn] = yieldRows(report).filter((row) => row.whole > 0);
  if (!drawn) return "No wrong answer has been labeled yet, so the choice cannot be judged.";
  return `Labelers found an error in ${formatPercent(drawn.part, drawn.whole)} of the wrong answers they labeled.`;
}

interface ReportMeasure {
  key: string;
  name: string;
  value: (report: RoundReport) => string;
  note?: (report: RoundReport) => string;
  means: string;
}

/** Return the measures with a value, so a round without labels does not show rows of "n/a". */
export function knownMeasures(report: RoundReport): ReportMeasure[] {
  return MEASURES.filter(({ value }) => value(report) !== "n/a");
}

const OF_PATHS = ["labels", "minutes_trace", "cost", "give_up", "bad_problem"];

/** Return those for a round of paths, whose labels judge completions and not a recorded trace. */
export function pathMeasures(report: RoundReport): ReportMeasure[] {
  return knownMeasures(report).filter(({ key }) => OF_PATHS.includes(key));
}

/** The numbers of a report in the order people ask for them, each with what it means. */
export const MEASURES: ReportMeasure[] = [
  {
    key: "labels",
    name: "Labels",
    value: (report) => formatCount(report.labels.submitted),
    note: (report) => (report.labels.surplus > 0 ? `and ${formatCount(report.labels.surplus)} surplus` : ""),
    means:
      "Submitted by labelers. Surplus labels arrived after another labeler had taken their slot, or after the round was closed. They are kept.",
  },
  {
    key: "minutes",
    name: "Active time per error",
    value: (report) => timeOf(report.active_minutes_per_error),
    means: "How much attention one confirmed error cost. Compare rounds by this figure.",
  },
  {
    key: "minutes_trace",
    name: "Active time per trace",
    value: (report) => timeOf(report.time?.per_trace.value),
    note: (report) => said(moneyOf(report, "per_trace"), report.time ? timedWordsOf(report.time) : ""),
    means:
      "All active time in the round, divided by the traces with a label that counts. It includes revisions, extra labels and labels left out.",
  },
  {
    key: "minutes_step",
    name: "Active time per step",
    value: (report) => timeOf(report.time?.per_step.value),
    note: (report) => moneyOf(report, "per_step"),
    means: "The same per rated step, so that short and long traces can be compared.",
  },
  {
    key: "cost",
    name: "Cost",
    value: (report) =>
      report.time?.money ? `${report.time.money.currency} ${report.time.money.total.toFixed(2)}` : "n/a",
    note: (report) =>
      report.time?.money ? moneyOf(report, "per_error", " a confirmed error") : "no hourly rate is set",
    means:
      "Active time at the project’s hourly rate: for a closed round the rate when it was closed, otherwise today’s.",
  },
  {
    key: "false_alarms",
    name: "Grader false alarms",
    value: (report) => percentOf(report.false_alarms.share),
    note: (report) => said(of(report.false_alarms), intervalOf(report, "false_alarms")),
    means: "Wrong answers in which a labeler found every step right. The grader or the true answer is mistaken.",
  },
  {
    key: "prm_misses",
    name: "Errors the PRM missed",
    value: (report) => percentOf(report.prm_misses.share),
    note: (report) => said(of(report.prm_misses), intervalOf(report, "prm_misses")),
    means:
      "The first errors marked by labelers that the model scored above one half. Training on this round can teach it these.",
  },
  {
    key: "exact",
    name: "PRM points at the error",
    value: (report) => percentOf(report.localisation.exact),
    note: (report) => {
      const { n, no_low_step } = report.localisation;
      const doubts = no_low_step > 0 ? `it doubts no step in ${formatCount(no_low_step)}` : "";
      return said(n > 0 ? `of ${formatCount(n)}` : "", doubts, intervalOf(report, "exact"));
    },
    means: "The first step that the model judges wrong is exactly the step that labelers marked.",
  },
  {
    key: "within_1",
    name: "… or one step away",
    value: (report) => percentOf(report.localisation.within_1),
    note: (report) => intervalOf(report, "within_1"),
    means: "The same, allowing one step to either side.",
  },
  {
    key: "distance",
    name: "Mean distance",
    value: (report) =>
      report.localisation.mean_distance === null ? "n/a" : report.localisation.mean_distance.toFixed(1),
    note: ({ localisation }) => (localisation.mean_distance === null ? "" : "steps"),
    means: "How far the model’s first doubt is from the step that labelers marked.",
  },
  {
    key: "median_selected",
    name: "Median score, chosen",
    value: (report) => scoreOf(report.median_score.selected),
    note: ({ median_score }) =>
      median_score.selected === null
        ? ""
        : `pool ${scoreOf(median_score.pool)}, control ${scoreOf(median_score.control)}`,
    means: "How far the model believed the chosen traces, compared with the pool.",
  },
  {
    key: "give_up",
    name: "Gave up",
    value: (report) => percentOf(report.give_up_rate),
    note: (report) => said(ofLabels(report, "give_up_rate"), intervalOf(report, "give_up_rate")),
    means: "Labels that judge nothing. Many of them mean that traces are too hard or too long, or guidelines unclear.",
  },
  {
    key: "bad_problem",
    name: "Bad problems",
    value: (report) => percentOf(report.bad_problem_rate),
    note: (report) => said(ofLabels(report, "bad_problem_rate"), intervalOf(report, "bad_problem_rate")),
    means: "Labels that report the problem itself, for example because it is vague or lacks a figure.",
  },
  {
    key: "shortfall",
    name: "Short of the quota",
    value: (report) => formatCount(report.shortfall),
    note: (report) => (report.dropped.over_budget ? "the overall limit was reached first" : ""),
    means: "Traces that the rules asked for but the pool did not have.",
  },
];

function timeOf(minutes: number | null | undefined): string {
  return minutes === null || minutes === undefined ? "n/a" : formatDuration(minutes * 60_000);
}

function moneyOf({ time }: RoundReport, per: "per_trace" | "per_step" | "per_error", what = ""): string {
  const amount = time?.money?.[per];
  return amount === null || amount === undefined ? "" : `${time?.money?.currency} ${amount.toFixed(2)}${what}`;
}

function of({ n, of: whole }: { n: number; of: number }): string {
  return whole > 0 ? `${formatCount(n)} of ${formatCount(whole)}` : "";
}

/** "of 34 labels"; empty without labels, or in a report frozen before intervals were made. */
function ofLabels({ intervals }: RoundReport, figure: string): string {
  const found = intervals[figure];
  return found && found.n > 0 ? `of ${countOf(found.n, "label")}` : "";
}

function intervalOf({ intervals }: RoundReport, figure: string): string {
  const found = intervals[figure];
  return found ? intervalPart(found, percentOf) : "";
}

function said(...parts: string[]): string {
  return parts.filter(Boolean).join(", ");
}
