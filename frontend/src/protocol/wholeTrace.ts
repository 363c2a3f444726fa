/**
 * Rules for every whole trace or run that is rated step by step, whether or not a −1 ends the rating: the twin of the
 * server's `labeling/protocol/whole_trace.py`.
 */
import type { FinishReason, Outcome } from "@/api/types";
import { type Finding, NO_ERROR, type Ratings } from "./interface";

export function contradictions(ratings: Ratings, finish: FinishReason, outcome: Outcome): Finding[] {
  if (finish !== "solution") return [];
  const error = ratings.indexOf(-1);
  if (error >= 0) return [{ code: "solution_with_error", step: error }];
  const last = ratings.length - 1;
  return outcome === "wrong" && ratings[last] === 1 ? [{ code: "solution_but_answer_wrong", step: last }] : [];
}

export function verdict(ratings: Ratings, finish: FinishReason): number | null {
  if (finish === "solution") return NO_ERROR;
  return finish === "found_error" && ratings.includes(-1) ? ratings.indexOf(-1) : null;
}
