/**
 * Rate every step of a run, even after a −1: the twin of the server's `labeling/protocol/every_step.py`. Both are
 * tested on `labeling/tests/protocol_cases/every_step.json`.
 */
import type { FinishReason } from "@/api/types";
import { reasonsMissing } from "./findings";
import type { Finding, LabelingProtocol, Ratings } from "./interface";
import { contradictions, verdict } from "./wholeTrace";

const ratableSteps = (ratings: Ratings): number[] => ratings.map((_, step) => step);

function missing(ratings: Ratings, finish: FinishReason, kind: string, text: string): Finding[] {
  if (finish === "bad_problem" || finish === "give_up") return reasonsMissing(finish, kind, text);
  const unrated = ratings.indexOf(null);
  if (unrated >= 0) return [{ code: "unrated_step", step: unrated }];
  if (finish === "found_error" && !ratings.includes(-1)) return [{ code: "no_error_marked" }];
  return [];
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
