/**
 * Rate a whole trace step by step, and stop at the first −1: the twin of the server's
 * `labeling/protocol/first_error.py`. Both are tested on `labeling/tests/protocol_cases/first_error.json`.
 */
import type { FinishReason } from "@/api/types";
import { reasonsMissing } from "./findings";
import type { Finding, LabelingProtocol, Ratings } from "./interface";
import { contradictions, verdict } from "./wholeTrace";

function ratableSteps(ratings: Ratings): number[] {
  const error = ratings.indexOf(-1);
  return Array.from({ length: error < 0 ? ratings.length : error + 1 }, (_, step) => step);
}

function missing(ratings: Ratings, finish: FinishReason, kind: string, text: string): Finding[] {
  const late = ratedAfterError(ratings);
  if (finish === "bad_problem" || finish === "give_up") return [...reasonsMissing(finish, kind, text), ...late];
  const unrated = ratableSteps(ratings).find((step) => ratings[step] === null);
  if (unrated !== undefined) return [{ code: "unrated_step", step: unrated }, ...late];
  if (finish === "found_error" && !ratings.includes(-1)) return [{ code: "no_error_marked" }];
  return late;
}

function ratedAfterError(ratings: Ratings): Finding[] {
  const ratable = ratableSteps(ratings).length;
  const late = ratings.findIndex((rating, step) => step >= ratable && rating !== null);
  return late < 0 ? [] : [{ code: "rated_after_error", step: late }];
}

export const FIRST_ERROR: LabelingProtocol = {
  name: "first_error",
  missing,
  contradictions,
  verdict,
  ratableSteps,
  words: {
    heading: "stops at the first −1",
    minus: "the first error",
    atMinus: "labeling stops there",
    toRate: "the steps up to the first error",
    closed: "labeling ends at the first error",
  },
};
