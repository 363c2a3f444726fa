/**
 * When a labeler's work is complete, and when it contradicts itself: the twin of the server's
 * `labeling/protocol/submission_rules.py`. Both are tested on `labeling/tests/submission_cases.json`.
 */
import type { Confirmation, FinishReason, Outcome, Rating } from "@/api/types";

/** One thing to tell the labeler; `step` counts from 0 and is absent when it is about no step. */
export interface Finding {
  code: string;
  step?: number;
}

export type Ratings = readonly (Rating | null)[];

/** Index of the first -1, or -1 when there is none. */
export function firstError(ratings: Ratings): number {
  return ratings.indexOf(-1);
}

/** What the submission still lacks, in the order a labeler would mend it; empty when complete. */
export function missing(ratings: Ratings, finish: FinishReason, kind = "", text = ""): Finding[] {
  const found: Finding[] = [];
  const error = firstError(ratings);
  if (finish === "bad_problem" || finish === "give_up") {
    if (finish === "bad_problem" && kind === "") found.push({ code: "kind_needed" });
    if (text.trim() === "") found.push({ code: "reason_needed" });
  } else {
    const end = error < 0 ? ratings.length : error;
    const unrated = ratings.slice(0, end).indexOf(null);
    if (unrated >= 0) found.push({ code: "unrated_step", step: unrated });
    else if (finish === "found_error" && error < 0) found.push({ code: "no_error_marked" });
  }
  const late = error < 0 ? -1 : ratings.findIndex((rating, step) => step > error && rating !== null);
  if (late >= 0) found.push({ code: "rated_after_error", step: late });
  return found;
}

/** What the labeler has to confirm with a reason before the submission is taken; confirmed ones are left out. */
export function contradictions(
  ratings: Ratings,
  finish: FinishReason,
  outcome: Outcome,
  confirmations: readonly Confirmation[],
): Finding[] {
  const found = contradiction(ratings, finish, outcome);
  const confirmed = found && confirmations.some((one) => one.code === found.code && one.reason.trim() !== "");
  return found && !confirmed ? [found] : [];
}

function contradiction(ratings: Ratings, finish: FinishReason, outcome: Outcome): Finding | null {
  if (finish !== "solution") return null;
  const error = firstError(ratings);
  if (error >= 0) return { code: "solution_with_error", step: error };
  const last = ratings.length - 1;
  if (outcome === "wrong" && ratings[last] === 1) return { code: "solution_but_answer_wrong", step: last };
  return null;
}

/** A finding in words, for the labeler; steps count from 1 on the page. */
export function explain(finding: Finding): string {
  const step = (finding.step ?? 0) + 1;
  switch (finding.code) {
    case "unrated_step":
      return `Step ${step} is not rated yet.`;
    case "no_error_marked":
      return "No step is marked −1 yet.";
    case "reason_needed":
      return "A reason in a few words is missing.";
    case "kind_needed":
      return "Choose what is wrong with the problem.";
    case "rated_after_error":
      return `Step ${step} comes after the first −1 and must stay unlabelled.`;
    case "solution_but_answer_wrong":
      return "You rated every step good, but this trace’s final answer is recorded as wrong.";
    case "solution_with_error":
      return `You call this a solution, but step ${step} is rated −1.`;
    default:
      return `The server asks for something this page does not know (${finding.code}). Reload the page.`;
  }
}
