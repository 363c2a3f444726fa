/** Texts about what a training is doing and what started it. Pure. */

import { countOf, formatCount, formatDuration, formatPercent } from "./format";

interface TrainingState {
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  stage: "waiting" | "reading" | "training" | "checking" | "done";
  cancel_requested: boolean;
  error: string;
}

/** A sentence about the state of a run. */
export function runStanding(run: TrainingState): string {
  if (run.status === "queued") return "Waiting for a worker of the queue gpu.";
  if (run.status === "failed") return run.error || "It failed without a message. See the worker’s log.";
  if (run.status === "cancelled") return "Stopped. No PRM was made.";
  if (run.status === "succeeded") return "Done. The PRM is ready to be evaluated.";
  if (run.cancel_requested) return "Stopping…";
  return {
    waiting: "Starting…",
    reading: "Collecting the labels…",
    training: "Learning…",
    checking: "Checking that the PRM can score…",
    done: "Done.",
  }[run.stage];
}

export interface Doing {
  what:
    | "rows"
    | "loading"
    | "states"
    | "heads"
    | "draws"
    | "learning"
    | "measuring"
    | "curve"
    | "second_head"
    | "writing";
  done: number;
  /** 0 if not known. */
  total: number;
  since: string;
  seconds_left: number | null;
}

// What is being done, and the unit in which it is counted.
const DOES: Record<Doing["what"], [does: string, counts: string]> = {
  rows: ["Writing the labels as rows", "row"],
  loading: ["Loading the base", ""],
  states: ["The base is reading the traces", "trace"],
  heads: ["Trying heads to find the best one", "head"],
  draws: ["Fitting heads on resampled problems, to see how sure it is", "head"],
  learning: ["Learning, a few traces at a time", "trace"],
  measuring: ["Measuring on problems it does not learn from", "trace"],
  curve: ["How good it would be with fewer labels", "head"],
  second_head: ["Reading the rollouts’ results", "trace"],
  writing: ["Writing the checkpoint", ""],
};

/** What a run is doing and how much of it is done; the numbers change while it runs. */
export function doingWords(doing: Doing, now: number): { does: string; counts: string } {
  const [does, unit] = DOES[doing.what];
  const { done, total } = doing;
  const many =
    total > 0
      ? `${formatCount(done)} of ${countOf(total, unit)} (${formatPercent(done, total)})`
      : done > 0 && countOf(done, unit);
  const left =
    doing.seconds_left !== null && done < total && `about ${formatDuration(doing.seconds_left * 1_000)} left`;
  const since = `${formatDuration(Math.max(0, now - Date.parse(doing.since)))} so far`;
  return { does, counts: [many, since, left].filter(Boolean).join(" · ") };
}

/** A round as part of a sentence: "round 3", or its name. */
export function roundWithin({ number, name }: { number: number; name: string }): string {
  return name || `round ${number}`;
}

/** "round 3 (physics)"; only the name for a screening, whose number is negative and has no meaning for readers. */
export function numberedRound(number: number, name = ""): string {
  if (number < 0) return name || "screening";
  return name ? `round ${number} (${name})` : `round ${number}`;
}

interface Asked {
  at_close_of: { number: number; name: string } | null;
  created_by: { display_name: string } | null;
}

/** What started a training: a person, the close of a round, or the machine. */
export function askedBy(run: Asked): string {
  if (run.at_close_of) return `the close of ${roundWithin(run.at_close_of)}`;
  return run.created_by?.display_name ?? "the machine";
}
