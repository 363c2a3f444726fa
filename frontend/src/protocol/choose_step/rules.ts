/**
 * How a path may end: the twin of the server's `labeling/protocol/choose_step.py`. Both are tested on
 * `labeling/tests/protocol_cases/choose_step.json`.
 */
import { reasonsMissing } from "@/protocol/findings";
import { type LabelingProtocol, NO_ERROR } from "@/protocol/interface";

export const CHOOSE_STEP: LabelingProtocol = {
  name: "choose_step",
  // A path avoids errors, so it cannot end with one. Given or written steps have no rating, so no rating is ever
  // missing.
  missing: (_ratings, finish, kind, text) =>
    finish === "found_error" ? [{ code: "not_a_finish" }] : reasonsMissing(finish, kind, text),
  contradictions: () => [],
  verdict: (_ratings, finish) => (finish === "solution" ? NO_ERROR : null),
  ratableSteps: (ratings) => ratings.map((_, step) => step),
  words: {
    heading: "chosen step by step",
    minus: "a bad completion",
    atMinus: "the path avoids it",
    toRate: "every completion shown",
    closed: "it is not a step of the path",
  },
};
