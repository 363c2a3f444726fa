/** What a training is doing, and what began it, in words. Pure. */

export interface TrainingState {
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  stage: "waiting" | "reading" | "training" | "checking" | "done";
  cancel_requested: boolean;
  error: string;
}

/** What a run is doing, in a sentence. */
export function runStanding(run: TrainingState): string {
  if (run.status === "queued") return "Waiting for a worker of the queue gpu.";
  if (run.status === "failed") return run.error || "It failed without a word. See the worker’s log.";
  if (run.status === "cancelled") return "Stopped. It made no PRM.";
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

/** A round within a sentence: "round 3", or its name. */
export function roundWithin({ number, name }: { number: number; name: string }): string {
  return name || `round ${number}`;
}

interface Asked {
  at_close_of: { number: number; name: string } | null;
  created_by: { display_name: string } | null;
}

/** Who asked for a training: a person, the close of a round, or the machine. */
export function askedBy(run: Asked): string {
  if (run.at_close_of) return `the close of ${roundWithin(run.at_close_of)}`;
  return run.created_by?.display_name ?? "the machine";
}
