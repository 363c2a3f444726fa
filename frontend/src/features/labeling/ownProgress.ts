import type { MyProgress, Submission } from "@/api/types";
import { activeTime } from "@/protocol/activeTime";

/** The time a person was at work on what they submitted, as the server counts it. */
export function activeMs(submission: Submission): number {
  return activeTime(submission.spans, submission.ratings.length).total;
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
