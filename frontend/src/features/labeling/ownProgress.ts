import type { QueuedSubmission } from "@/api/journal";
import type { MyProgress, Submission } from "@/api/types";
import { activeTime } from "@/protocol/activeTime";

/** The time a person was at work on what they submitted, as the server counts it. */
export function activeMs(submission: Submission): number {
  return activeTime(submission.spans, submission.ratings.length).total;
}

/** A step in less than this, and nobody has read it. Held equal to `labeling/quality/haste.py` by its case file. */
export const HASTY_MS_A_STEP = 2_000;

export function isHasty(time: number, steps: number): boolean {
  return time < steps * HASTY_MS_A_STEP;
}

/** "1 s a step; is this right?" of a submission in which nobody can have read the steps; else nothing. */
export function hasteWords(submission: Submission): string {
  const carried = new Set((submission.carried ?? []).filter((one) => one.completion === null).map((one) => one.step));
  const rated = submission.ratings.filter((rating, step) => rating !== null && !carried.has(step)).length;
  const time = activeMs(submission);
  if (!isHasty(time, rated)) return "";
  const seconds = Math.floor(time / rated / 100) / 10; // never up to the floor that it is under
  return `Submitted. ${seconds < 1 ? "Under 1" : seconds} s a step; is this right?`;
}

/** Submitted here but not yet counted by the server; `rounds` by number, where it is known. */
export interface Unsent {
  rounds: (number | undefined)[];
  activeMs: number;
}

export function unsentOf(items: Pick<QueuedSubmission, "round" | "submission">[]): Unsent {
  return {
    rounds: items.map(({ round }) => round),
    activeMs: items.reduce((sum, { submission }) => sum + activeMs(submission), 0),
  };
}

/** How many of them move this round; those that do not say theirs are taken to. */
export function unsentIn({ rounds }: Unsent, number: number): number {
  return rounds.filter((round) => round === undefined || round === number).length;
}

/**
 * The header's figures with one more submission of one's own, which the server has taken since it gave them. It moves
 * the round that is shown if it is of that round, and its slot had not been given away.
 */
export function withOwn(
  progress: MyProgress,
  submission: Submission,
  { round: number, surplus }: { round: number; surplus: boolean },
): MyProgress {
  const { round } = progress;
  return {
    submitted_today: progress.submitted_today + (number < 0 ? 0 : 1), // a screening's counts for admission only
    active_ms_today: progress.active_ms_today + activeMs(submission),
    round:
      round && round.number === number && !surplus ? { ...round, done: Math.min(round.total, round.done + 1) } : round,
  };
}
