import type { Source, SourceEstimate, SourceKind, SourceRun } from "@/api/sourceTypes";
import { countOf, formatCount, formatDuration } from "@/ui/format";

export const KINDS: { value: SourceKind; name: string; means: string }[] = [
  { value: "verifier", name: "Checks", means: "Equations computed again, numbers that come from nowhere. No model." },
  { value: "rollouts", name: "Rollouts", means: "A model goes on from each prefix; its answers are graded." },
  { value: "judge", name: "Judge", means: "A model is asked for the first wrong step." },
  { value: "consensus", name: "Consensus", means: "A rule over other sources; it says what it drops." },
];

export const STRATEGIES = [
  { value: "everywhere", label: "from every prefix (Math-Shepherd)" },
  { value: "bisect", label: "binary search for the first error (OmegaPRM)" },
  { value: "adaptive", label: "binary search, as many as needed (after EpicPRM)" },
  { value: "tree", label: "tree search on a budget (OmegaPRM)" },
] as const;

export function kindName(kind: Source["kind"]): string {
  return KINDS.find((one) => one.value === kind)?.name ?? (kind === "formal" ? "Prover" : "Imported");
}

interface Asked {
  model?: string;
  prompt?: string;
}

/** What a source is told, by its kind: of each only some. */
interface Settings {
  completer?: Asked;
  judge?: Asked;
  strategy?: unknown;
  n?: unknown;
  votes?: unknown;
  rule?: unknown;
  version?: unknown;
}

/** "3 · adaptive 8 of q7": the settings that tell two sources of a kind apart. */
export function settingsWords(source: Source): string {
  const asked = source.settings as Settings;
  const model = asked.completer ?? asked.judge;
  const parts = [
    model?.model,
    typeof asked.strategy === "string" && asked.strategy,
    typeof asked.n === "number" && countOf(asked.n, "rollout"),
    typeof asked.votes === "number" && countOf(asked.votes, "vote"),
    typeof asked.rule === "string" && asked.rule,
    typeof asked.version === "string" && asked.version,
  ];
  return parts.filter(Boolean).join(" · ");
}

export function estimateSentence(found: SourceEstimate): string {
  const waits = waitsWords(found);
  if (found.traces === 0) return waits || "No trace fits that this source has not looked at.";
  const traces = `${countOf(found.traces, "trace")}, ${countOf(found.steps, "step")}`;
  if (found.calls === 0) return `${traces}. It asks no model, and costs nothing. ${waits}`.trim();
  const tokens = `${formatCount(found.tokens_in)} tokens read and ${formatCount(found.tokens_out)} written`;
  const cost = found.cost > 0 ? `, ${found.cost.toFixed(2)} at the prices of this source` : "";
  const time =
    found.seconds === null
      ? "How long that takes is not known: this model was not asked so here yet."
      : `At most ${formatDuration(found.seconds * 1000)} of one worker’s time, as fast as it was last.`;
  return `${traces}. At most ${formatCount(found.calls)} answers, about ${tokens}${cost}. ${time}`;
}

/** Why a consensus leaves traces out, and how it comes to them. */
function waitsWords({ waits_for: waits }: SourceEstimate): string {
  if (waits.length === 0) return "";
  const lacking = waits.map((one) => `${one.source} (${countOf(one.traces, "trace")})`).join(", ");
  return `Left out is what is not marked yet by ${lacking}: let that run first, then start this source again.`;
}

export function usedWords(run: SourceRun): string {
  if (run.calls === 0) return "";
  const tokens = `${run.estimated ? "about " : ""}${formatCount(run.tokens_in + run.tokens_out)} tokens`;
  const time = run.worker_seconds !== null && `${formatDuration(run.worker_seconds * 1000)} of workers’ time`;
  const cost = run.cost > 0 && run.cost.toFixed(2);
  return [`${formatCount(run.calls)} answers`, tokens, cost, time].filter(Boolean).join(" · ");
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

export const FIGURE_NAMES: Record<string, string> = {
  first_error_accuracy: "first error as people",
  accuracy_on_erroneous: "… where people found one",
  accuracy_on_error_free: "… where people found none",
  processbench_f1: "F1 (ProcessBench)",
  kappa_has_error: "kappa: is there an error",
  within_one: "first error within one step",
};
