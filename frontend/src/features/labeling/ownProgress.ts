import type { MyProgress, Submission } from "@/api/types";
import { activeTime } from "@/protocol/activeTime";

/** The time a person was at work on what they submitted, as the server counts it. */
export function activeMs(submission: Submission): number {
  return activeTime(submission.spans, submission.ratings.length).total;
}

/** A step in less than this, and nobody has read it; as `labeling/quality/haste.py` begins. */
const HASTY_MS_A_STEP = 2_000;

/** "1 s a step; is this right?" of a submission in which nobody can have read the steps; else nothing. */
export function hasteWords(submission: Submission): string {
  const carried = new Set((submission.carried ?? []).filter((one) => one.completion === null).map((one) => one.step));
  const rated = submission.ratings.filter((rating, step) => rating !== null && !carried.has(step)).length;
  const time = activeMs(submission);
  if (rated === 0 || time >= rated * HASTY_MS_A_STEP) return "";
  return `Submitted. ${Math.round(time / rated / 1_000) || "Under 1"} s a step; is this right?`;
}

/** The header's figures with one more submission of one's own, which the server has taken since it gave them. */
export function withOwn(progress: MyProgress, submission: Submission, surplus: boolean): MyProgress {
  const { round } = progress;
  return {
    submitted_today: progress.submitted_today + 1,
    active_ms_today: progress.active_ms_today + activeMs(submission),
    round: round && !surplus ? { ...round, done: Math.min(round.total, round.done + 1) } : round,
  };
}
