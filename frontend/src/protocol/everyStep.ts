/**
 * Rate every step of a run, also after a −1: the twin of the server's `labeling/protocol/every_step.py`. Both are tested on
 * `labeling/tests/protocol_cases/every_step.json`.
 */
import type { FinishReason, Outcome } from "@/api/types";
import { reasonsMissing } from "./findings";
import { type Finding, type LabelingProtocol, NO_ERROR, type Ratings } from "./interface";

const ratableSteps = (ratings: Ratings): number[] => ratings.map((_, step) => step);

function missing(ratings: Ratings, finish: FinishReason, kind: string, text: string): Finding[] {
  if (finish === "bad_problem" || finish === "give_up") return reasonsMissing(finish, kind, text);
  const unrated = ratings.indexOf(null);
  if (unrated >= 0) return [{ code: "unrated_step", step: unrated }];
  if (finish === "found_error" && !ratings.includes(-1)) return [{ code: "no_error_marked" }];
  return [];
}

function contradictions(ratings: Ratings, finish: FinishReason, outcome: Outcome): Finding[] {
  if (finish !== "solution") return [];
  const error = ratings.indexOf(-1);
  if (error >= 0) return [{ code: "solution_with_error", step: error }];
  const last = ratings.length - 1;
  return outcome === "wrong" && ratings[last] === 1 ? [{ code: "solution_but_answer_wrong", step: last }] : [];
}

function verdict(ratings: Ratings, finish: FinishReason): number | null {
  if (finish === "solution") return NO_ERROR;
  return finish === "found_error" && ratings.includes(-1) ? ratings.indexOf(-1) : null;
}

export const EVERY_STEP: LabelingProtocol = {
  name: "every_step",
  missing,
  contradictions,
  verdict,
  ratableSteps,
  words: {
    heading: "every step is rated, also after a −1",
    minus: "a wrong step",
    atMinus: "rating goes on",
    toRate: "every step",
    closed: "nothing is closed",
  },
};
