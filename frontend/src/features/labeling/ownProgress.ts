import type { QueuedSubmission } from "@/api/journal";
import type { MyProgress, Submission } from "@/api/types";
import { activeTime } from "@/protocol/activeTime";

/** Return the active time of a submission in milliseconds, as the server counts it. */
export function activeMs(submission: Submission): number {
  return activeTime(submission.spans, submission.ratings.length).total;
}

/**
 * A step rated in less time than this was not read: the floor that the project begins with, until the server has sent
 * the learned one. A shared case file keeps this equal to `labeling/quality/haste.py`.
 */
export const HASTY_MS_A_STEP = 2_000;

export function isHasty(time: number, steps: number, floor = HASTY_MS_A_STEP): boolean {
  return time < steps * floor;
}

/** "Submitted. 1.2 s a step; is this right?" for a submission whose steps cannot have been read; otherwise empty. */
export function hasteWords(submission: Submission, floor?: number): string {
  const carried = new Set((submission.carried ?? []).filter((one) => one.completion === null).map((one) => one.step));
  const rated = submission.ratings.filter((rating, step) => rating !== null && !carried.has(step)).length;
  const time = activeMs(submission);
  if (!isHasty(time, rated, floor)) return "";
  const seconds = Math.floor(time / rated / 100) / 10; // cut, so that it never shows the limit that it is below
  return `Submitted. ${seconds < 1 ? "Under 1" : seconds} s a step; is this right?`;
}

/** Submissions not yet counted by the server. `rounds` has the number of each one's round, if known. */
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

/** Return how many of them belong to this round. Those without a known round are assumed to. */
export function unsentIn({ rounds }: Unsent, number: number): number {
  return rounds.filter((round) => round === undefined || round === number).length;
}

/**
 * Return the header's figures with one more own submission, which the server accepted after it sent them. The round
 * shown moves on only if the submission is in that round and is not surplus.
 */
export function withOwn(
  progress: MyProgress,
  submission: Submission,
  { round: number, surplus }: { round: number; surplus: boolean },
): MyProgress {
  const { round } = progress;
  return {
    ...progress,
    submitted_today: progress.submitted_today + (number < 0 ? 0 : 1), // a screening counts for admission only
    active_ms_today: progress.active_ms_today + activeMs(submission),
    round:
      round && round.number === number && !surplus ? { ...round, done: Math.min(round.total, round.done + 1) } : round,
  };
}
