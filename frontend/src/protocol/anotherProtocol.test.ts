/**
 * A protocol that exists only in this test: every step is rated, and the last −1 is the error. The draft follows it.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Rating } from "@/api/types";
import { commandNamed, type Workbench } from "./commands";
import { type DraftAction, draftReducer, emptyContent, finishReason, newDraft } from "./draft";
import { FIRST_ERROR } from "./firstError";
import { type LabelingProtocol, NO_ERROR } from "./interface";
import { firstToRate } from "./ratings";
import { PROTOCOLS, protocolNamed } from "./registry";

const EVERY_STEP: LabelingProtocol = {
  name: "every_step_of_a_test",
  missing: (ratings) => (ratings.includes(null) ? [{ code: "unrated_step", step: ratings.indexOf(null) }] : []),
  contradictions: () => [],
  verdict: (ratings, finish) => {
    if (finish === "solution") return NO_ERROR;
    return finish === "found_error" && ratings.includes(-1) ? ratings.lastIndexOf(-1) : null;
  },
  ratableSteps: (ratings) => ratings.map((_, step) => step),
  words: FIRST_ERROR.words,
};

beforeAll(() => {
  PROTOCOLS.set(EVERY_STEP.name, EVERY_STEP);
});
afterAll(() => {
  PROTOCOLS.delete(EVERY_STEP.name);
});

function run(ratings: (Rating | null)[], ...actions: DraftAction[]) {
  const draft = newDraft(protocolNamed(EVERY_STEP.name), { ...emptyContent(ratings.length), ratings });
  return actions.reduce(draftReducer, draft);
}

describe("the draft of a label", () => {
  test("goes on after a −1, and keeps what was rated behind it", () => {
    const rated = run([1, null, 1], { type: "rate", step: 1, rating: -1 }, { type: "rate", step: 2, rating: 0 });
    expect(rated.content.ratings).toEqual([1, -1, 0]);
    expect(finishReason(rated.protocol, rated.content)).toBe("found_error");
  });
  test("is good up to here across a −1, and an earlier −1 stays when another is realised", () => {
    expect(run([null, -1, null, null], { type: "goodUpTo", step: 2 }).content.ratings).toEqual([1, -1, 1, null]);
    const realised = run([-1, 1, 1], { type: "realise", badStep: 1, noticedAt: 2 });
    expect(realised.content.ratings).toEqual([-1, -1, 1]);
  });
  test("takes what is carried over after a −1, and begins behind it", () => {
    const from = { label_id: 1, submitted_at: "2026-01-01T00:00:00Z", flagged: false, completion: null };
    const ratings: Rating[] = [1, -1, 0];
    const carried = ratings.map((rating, step) => ({ ...from, step, rating }));
    const draft = run([null, null, null, null], { type: "carry", carried });
    expect(draft.content.ratings).toEqual([1, -1, 0, null]);
    expect(draft.focus).toBe(3);
    expect(firstToRate(draft.protocol, draft.content.ratings)).toBe(3);
  });
  test("offers its commands on every step", () => {
    const draft = run([-1, null], { type: "focus", step: 1 });
    const bench = { draft } as Workbench;
    for (const name of ["rate_plus", "rate_minus"]) expect(commandNamed(name).enabled(bench)).toBe(true);
  });
  test("never loses a rating to another one", () => {
    const rate = fc.record({
      type: fc.constant("rate" as const),
      step: fc.nat(3),
      rating: fc.constantFrom<Rating>(-1, 0, 1),
    });
    fc.assert(
      fc.property(fc.array(rate, { maxLength: 12 }), (actions) => {
        const last = new Map(actions.map(({ step, rating }) => [step, rating]));
        const wanted = [0, 1, 2, 3].map((step) => last.get(step) ?? null);
        expect(run([null, null, null, null], ...actions).content.ratings).toEqual(wanted);
      }),
    );
  });
});
