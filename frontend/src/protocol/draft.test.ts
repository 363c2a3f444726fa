import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Rating } from "@/api/types";
import { candidateRows } from "./afterError";
import { type Draft, type DraftAction, draftReducer, emptyContent, finishReason, newDraft } from "./draft";
import { FIRST_ERROR } from "./firstError";
import { isRatable } from "./ratings";

function start(ratings: (Rating | null)[], focus = 0): Draft {
  return newDraft(FIRST_ERROR, { ...emptyContent(ratings.length), ratings }, focus);
}
function run(draft: Draft, ...actions: DraftAction[]): Draft {
  return actions.reduce(draftReducer, draft);
}

describe("rating", () => {
  test("+1 and 0 move on to the next step, −1 stays", () => {
    expect(run(start([null, null]), { type: "rate", step: 0, rating: 1 }).focus).toBe(1);
    expect(run(start([null, null]), { type: "rate", step: 0, rating: 0 }).focus).toBe(1);
    expect(run(start([null, null]), { type: "rate", step: 0, rating: -1 }).focus).toBe(0);
  });
  test("the focus stays on the last step", () => {
    expect(run(start([1, null], 1), { type: "rate", step: 1, rating: 1 }).focus).toBe(1);
  });
  test("a −1 clears the later ratings", () => {
    expect(run(start([1, 1, 1]), { type: "rate", step: 1, rating: -1 }).content.ratings).toEqual([1, -1, null]);
  });
  test("a step after the first −1 cannot be rated", () => {
    const draft = start([-1, null]);
    expect(run(draft, { type: "rate", step: 1, rating: 1 })).toBe(draft);
    expect(isRatable(FIRST_ERROR, draft.content.ratings, 1)).toBe(false);
  });
  test("an earlier rating can be changed in place", () => {
    expect(run(start([1, 1, null]), { type: "rate", step: 0, rating: 0 }).content.ratings).toEqual([0, 1, null]);
  });
  test("rating the same again moves the focus and leaves no history", () => {
    const draft = run(start([1, null]), { type: "rate", step: 0, rating: 1 });
    expect(draft.focus).toBe(1);
    expect(draft.past).toHaveLength(0);
  });
});

describe("good up to here", () => {
  test("rates what is unrated and keeps what was rated", () => {
    const draft = run(start([0, null, null, null]), { type: "goodUpTo", step: 2 });
    expect(draft.content.ratings).toEqual([0, 1, 1, null]);
    expect(draft.focus).toBe(3);
  });
  test("stops before the error", () => {
    expect(run(start([null, -1, null]), { type: "goodUpTo", step: 2 }).content.ratings).toEqual([1, -1, null]);
  });
});

describe("I just realised", () => {
  test("the earlier step becomes −1, later ratings go, and where it was noticed stays", () => {
    const draft = run(start([1, 1, 1, 1, null], 4), { type: "realise", badStep: 2, noticedAt: 4 });
    expect(draft.content.ratings).toEqual([1, 1, -1, null, null]);
    expect(draft.content.noticedAtStep).toBe(4);
    expect(draft.focus).toBe(2);
  });
  test("an earlier −1 than the chosen one is taken back", () => {
    expect(run(start([-1, null, null]), { type: "realise", badStep: 1, noticedAt: 2 }).content.ratings).toEqual([
      null,
      -1,
      null,
    ]);
  });
  test("noticed at the step itself is a plain −1", () => {
    expect(run(start([1, null]), { type: "realise", badStep: 1, noticedAt: 1 }).content.noticedAtStep).toBeNull();
  });
  test("a later step than the one in hand cannot be chosen", () => {
    const draft = start([1, 1, 1]);
    expect(run(draft, { type: "realise", badStep: 2, noticedAt: 1 })).toBe(draft);
  });
  test("rating the error again by hand forgets where it was noticed", () => {
    const moved = run(start([1, 1, 1]), { type: "realise", badStep: 0, noticedAt: 2 });
    expect(run(moved, { type: "rate", step: 0, rating: -1 }).content.noticedAtStep).toBeNull();
  });
});

describe("finishing", () => {
  test("the finish reason follows from the ratings until one is chosen", () => {
    expect(finishReason(FIRST_ERROR, start([1, 1]).content)).toBe("solution");
    expect(finishReason(FIRST_ERROR, start([1, -1]).content)).toBe("found_error");
    const given = run(start([1, -1]), { type: "finish", finish: "give_up", text: "Lost." });
    expect(finishReason(FIRST_ERROR, given.content)).toBe("give_up");
    expect(finishReason(FIRST_ERROR, run(given, { type: "finish", finish: null }).content)).toBe("found_error");
  });
  test("a new rating takes back a confirmation, for it spoke of other ratings", () => {
    const confirmed = run(start([1, null]), {
      type: "confirm",
      confirmation: { code: "solution_but_answer_wrong", reason: "Yes." },
    });
    expect(run(confirmed, { type: "rate", step: 1, rating: 0 }).content.confirmations).toEqual([]);
  });
});

test("typing a comment is one undo, and one on another step another", () => {
  const typed = (step: number, ...texts: string[]): DraftAction[] =>
    texts.map((text) => ({ type: "comment", step, text }));
  const draft = run(start([null, null]), ...typed(0, "N", "No", "No "), ...typed(1, "W", "Why"));
  expect(draft.content.comments).toEqual({ 0: "No", 1: "Why" });
  expect(run(draft, { type: "undo" }).content.comments).toEqual({ 0: "No" });
  expect(run(draft, { type: "undo" }, { type: "undo" }).content.comments).toEqual({});
});

test("typing an explanation is one undo", () => {
  const typed = run(
    start([-1]),
    { type: "mistake", mistake: { explanation: "a" } },
    { type: "mistake", mistake: { explanation: "ab" } },
    { type: "mistake", mistake: { explanation: "abc" } },
  );
  expect(typed.past).toHaveLength(1);
  expect(run(typed, { type: "undo" }).content.mistake.explanation).toBe("");
});

test("an empty comment takes the comment away", () => {
  const said = run(start([null]), { type: "comment", step: 0, text: " why? " });
  expect(said.content.comments).toEqual({ 0: "why?" });
  expect(run(said, { type: "comment", step: 0, text: "  " }).content.comments).toEqual({});
});

describe("what was carried over", () => {
  const from = { label_id: 12, submitted_at: "2026-01-01T00:00:00Z", flagged: false };
  const carried = [
    { ...from, step: 0, completion: null, rating: 1 as const },
    { ...from, step: 1, completion: null, rating: 0 as const },
    { ...from, step: 2, completion: 7, rating: -1 as const },
  ];
  const places = carried.map(({ step, completion }) => ({ step, completion }));

  test("is filled in with its marks, the focus goes behind it, and there is nothing to undo", () => {
    const draft = run(start([null, null, null]), { type: "carry", carried });
    expect(draft.content.ratings).toEqual([1, 0, null]);
    expect(draft.content.alternatives).toEqual([{ completion: 7, rating: -1, flagged: false }]);
    expect(draft.content.carried).toEqual(places);
    expect(draft.focus).toBe(2);
    expect(draft.past).toHaveLength(0);
  });
  test("becomes the labeler's own when changed, and theirs alone: the others keep their marks", () => {
    const draft = run(start([null, null, null]), { type: "carry", carried }, { type: "rate", step: 0, rating: 0 });
    expect(draft.content.carried).toEqual(places.slice(1));
    const [row] = candidateRows(1, [{ id: 7, step: 1, text: "x" }], []);
    if (!row) throw new Error("there is a row");
    const other = run(draft, { type: "rateCandidate", row, rating: 0, flagged: false });
    expect(other.content.carried).toEqual([places[1]]);
    expect(run(other, { type: "undo" }, { type: "undo" }).content.carried).toEqual(places);
  });
  test("never overrides what was rated here, and comes late without moving the focus", () => {
    const draft = run(start([null, null, null]), { type: "rate", step: 0, rating: -1 }, { type: "carry", carried });
    expect(draft.content.ratings).toEqual([-1, null, null]);
    expect(draft.content.carried).toEqual([places[2]]);
    expect(draft.focus).toBe(0);
  });
  test("ends at a carried first error", () => {
    const error = [{ ...from, step: 0, completion: null, rating: -1 as const }, ...carried.slice(1)];
    expect(run(start([null, null, null]), { type: "carry", carried: error }).content.ratings).toEqual([-1, null, null]);
  });
});

const STEPS = 5;
const step = fc.nat(STEPS - 1);
const rating = fc.constantFrom<Rating>(-1, 0, 1);
const anyAction: fc.Arbitrary<DraftAction> = fc.oneof(
  fc.record({ type: fc.constant("rate" as const), step, rating }),
  fc.record({ type: fc.constant("clear" as const), step }),
  fc.record({ type: fc.constant("goodUpTo" as const), step }),
  fc.record({ type: fc.constant("realise" as const), badStep: step, noticedAt: step }),
  fc.record({ type: fc.constant("focus" as const), step }),
  fc.record({ type: fc.constant("comment" as const), step, text: fc.constantFrom("", "x", "y") }),
  fc.record({
    type: fc.constant("finish" as const),
    finish: fc.constantFrom(null, "give_up" as const, "solution" as const),
    text: fc.constant("r"),
  }),
  fc.record({
    type: fc.constant("mistake" as const),
    mistake: fc.record({ explanation: fc.constantFrom("", "p", "pq") }),
  }),
  fc.constant({ type: "undo" as const }),
  fc.constant({ type: "redo" as const }),
);
const history = fc.array(anyAction, { maxLength: 40 });

describe("laws", () => {
  test("undo after a change gives back what was there, and redo the change", () => {
    fc.assert(
      fc.property(history, anyAction, (before, action) => {
        const draft = run(start(new Array(STEPS).fill(null)), ...before);
        const next = draftReducer(draft, action);
        fc.pre(next.past.length === draft.past.length + 1 && action.type !== "redo");
        const undone = draftReducer(next, { type: "undo" });
        expect(undone.content).toEqual(draft.content);
        expect(undone.focus).toBe(draft.focus);
        expect(draftReducer(undone, { type: "redo" }).content).toEqual(next.content);
      }),
    );
  });
  test("undoing everything gives the empty draft", () => {
    fc.assert(
      fc.property(history, (actions) => {
        let draft = run(start(new Array(STEPS).fill(null)), ...actions);
        while (draft.past.length > 0) draft = draftReducer(draft, { type: "undo" });
        expect(draft.content).toEqual(emptyContent(STEPS));
      }),
    );
  });
  test("nothing is ever rated after the first −1, and the focus is always on a step", () => {
    fc.assert(
      fc.property(history, (actions) => {
        const { content, focus } = run(start(new Array(STEPS).fill(null)), ...actions);
        const error = content.ratings.indexOf(-1);
        if (error >= 0) expect(content.ratings.slice(error + 1).every((one) => one === null)).toBe(true);
        expect(focus).toBeGreaterThanOrEqual(0);
        expect(focus).toBeLessThan(STEPS);
      }),
    );
  });
});
