import type { Calibration, Source, SourceEstimate, SourceKind, SourceRun } from "@/api/sourceTypes";
import { countOf, formatCount, formatDuration } from "@/ui/format";

export const KINDS: { value: SourceKind; name: string; means: string }[] = [
  {
    value: "verifier",
    name: "Checks",
    means: "Recomputes equations and finds numbers that come from nowhere. Needs no model.",
  },
  { value: "rollouts", name: "Rollouts", means: "A model continues from each prefix, and its answers are graded." },
  { value: "judge", name: "Judge", means: "Asks a model for the first wrong step." },
  { value: "consensus", name: "Consensus", means: "Combines other sources by a rule, and reports what it drops." },
];

export const STRATEGIES = [
  { value: "everywhere", label: "from every prefix (Math-Shepherd)" },
  { value: "bisect", label: "binary search for the first error (OmegaPRM)" },
  { value: "adaptive", label: "binary search, as many as needed (after EpicPRM)" },
  { value: "tree", label: "tree search on a budget (OmegaPRM)" },
] as const;

export const RULES: Record<string, string> = {
  agree: "all must agree",
  majority: "majority",
  weakest: "the weakest wins",
};

export function kindName(kind: Source["kind"]): string {
  return KINDS.find((one) => one.value === kind)?.name ?? (kind === "formal" ? "Prover" : "Imported");
}

interface Asked {
  model?: string;
  prompt?: string;
}

/** The settings of a source. Each kind has only some of them. */
interface Settings {
  completer?: Asked;
  judge?: Asked;
  strategy?: unknown;
  n?: unknown;
  votes?: unknown;
  rule?: unknown;
  version?: unknown;
}

/** "q7 · processbench/1 · 5 votes": the settings that tell two sources of a kind apart. */
export function settingsWords(source: Source): string {
  const asked = source.settings as Settings;
  const model = asked.completer ?? asked.judge;
  const parts = [
    model?.model,
    asked.judge?.prompt && (asked.judge.prompt.includes("{") ? "own template" : asked.judge.prompt),
    STRATEGIES.find((one) => one.value === asked.strategy)?.label,
    typeof asked.n === "number" && countOf(asked.n, "rollout"),
    typeof asked.votes === "number" && countOf(asked.votes, "vote"),
    typeof asked.rule === "string" && (RULES[asked.rule] ?? asked.rule),
    typeof asked.version === "string" && asked.version,
  ];
  return parts.filter(Boolean).join(" · ");
}

export function estimateSentence(found: SourceEstimate): string {
  const waits = waitsWords(found);
  if (found.traces === 0) return waits || "Nothing to do: this source has already seen every trace that fits.";
  const traces = `${countOf(found.traces, "trace")}, ${countOf(found.steps, "step")}`;
  if (found.calls === 0) return `${traces}. It asks no model and costs nothing. ${waits}`.trim();
  const tokens = `${countOf(found.tokens_in, "token")} read and ${formatCount(found.tokens_out)} written`;
  const cost = found.cost > 0 ? `, ${found.cost.toFixed(2)} at the prices of this source` : "";
  const time =
    found.seconds === null
      ? "The time is not known, because this model has not been asked this way here yet."
      : `At most ${formatDuration(found.seconds * 1000)} of one worker’s time, at its most recent speed.`;
  return `${traces}. At most ${countOf(found.calls, "answer")}, about ${tokens}${cost}. ${time}`;
}

/** Return why a consensus leaves traces out, and how to include them. */
function waitsWords({ waits_for: waits }: SourceEstimate): string {
  if (waits.length === 0) return "";
  const lacking = waits.map((one) => `${one.source} (${countOf(one.traces, "trace")})`).join(", ");
  return `Traces not marked yet by ${lacking} are left out. Run that first, then start this source again.`;
}

export function usedWords(run: SourceRun): string {
  if (run.calls === 0) return "";
  const tokens = `${run.estimated ? "about " : ""}${countOf(run.tokens_in + run.tokens_out, "token")}`;
  const time = run.worker_seconds !== null && `${formatDuration(run.worker_seconds * 1000)} of workers’ time`;
  const cost = run.cost > 0 && (run.cost < 0.01 ? "a cost below 0.01" : `a cost of ${run.cost.toFixed(2)}`);
  return [`${countOf(run.calls, "answer")}`, tokens, cost, time].filter(Boolean).join(" · ");
}

export type Budget = Pick<SourceRun, "token_budget" | "money_budget">;

/** Return "6,000 tokens or a cost of 0.5", where a run stops automatically; empty if it does not. */
export function budgetWords({ token_budget, money_budget }: Budget): string {
  const ends = [
    token_budget !== null && countOf(token_budget, "token"),
    money_budget !== null && `a cost of ${Number(money_budget.toFixed(4))}`,
  ];
  return ends.filter(Boolean).join(" or ");
}

/** Return the budget for continuing a run: the same amount again, counted from what was used. No budget stays none. */
export function sameAgain(run: Budget & Pick<SourceRun, "tokens_in" | "tokens_out" | "cost">): Budget {
  const { token_budget, money_budget } = run;
  return {
    token_budget: token_budget === null ? null : run.tokens_in + run.tokens_out + token_budget,
    money_budget: money_budget === null ? null : run.cost + money_budget,
  };
}

export const RUN_STATES: Record<
  SourceRun["status"],
  { name: string; tone: "busy" | "good" | "bad" | "quiet" | "held" }
> = {
  running: { name: "running", tone: "busy" },
  succeeded: { name: "done", tone: "good" },
  failed: { name: "failed", tone: "bad" },
  cancelled: { name: "cancelled", tone: "quiet" },
  over_budget: { name: "budget used", tone: "held" },
};

export function verdictName(step: number | null): string {
  if (step === null) return "does not say";
  return step < 0 ? "no error" : `step ${step + 1}`;
}

/** Return for how many traces that both saw the source says something. The figures are based on those alone. */
export function compared({ traces, silent }: Pick<Calibration, "traces" | "silent">): string {
  const said = traces - Object.values(silent).reduce((sum, count) => sum + count, 0);
  const part = said === traces ? "each" : formatCount(said);
  return `that people judged and this source has seen. It gives a first error, or no error, for ${part} of them; the figures are based on those. Intervals are 95 %, over problems.`;
}

export const FIGURE_NAMES: Record<string, string> = {
  first_error_accuracy: "same first error as people",
  accuracy_on_erroneous: "… where people found one",
  accuracy_on_error_free: "… where people found none",
  processbench_f1: "F1 (ProcessBench)",
  kappa_has_error: "kappa: is there an error",
  within_one: "first error within one step",
};
