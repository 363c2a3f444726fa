import { expect, test } from "vitest";
import type { Grading } from "@/api/roundTypes";
import { adviceFor, isDiscarded, reasonWords, ruleWords, standing } from "./gradingWords";

function grading(parts: Partial<Grading>): Grading {
  return {
    id: 1,
    status: "succeeded",
    stage: "grading",
    scope: "all",
    answer_kind: "maths",
    answer_tolerance: 0,
    grader_version: "5",
    traces_total: 1_200,
    traces_done: 1_200,
    counts: { correct: 700, wrong: 400, ungraded: 100 },
    differences: 0,
    kept: 0,
    left_out: 0,
    can_apply: true,
    changed: 0,
    skipped: 0,
    error: "",
    created_at: "2026-11-22T10:00:00Z",
    created_by: null,
    finished_at: null,
    applied_at: null,
    applied_by: null,
    ...parts,
  };
}

test("a grading says how far it is, and what differs when it is done", () => {
  expect(standing(grading({ status: "running", traces_done: 300 }))).toBe("300 of 1,200 traces graded (25 %)");
  expect(standing(grading({}))).toBe("1,200 traces graded. No outcome differs.");
  expect(standing(grading({ differences: 1 }))).toBe("1,200 traces graded. 1 outcome differs.");
  expect(standing(grading({ traces_total: 0, traces_done: 0 }))).toBe("There was nothing to grade.");
});

test("a grading whose differences a later one deleted is discarded, and counts none", () => {
  const old = grading({ differences: 3, can_apply: false });
  expect(isDiscarded(old)).toBe(true);
  expect(standing(old)).toBe("1,200 traces graded. Discarded by a later grading.");
  expect(isDiscarded(grading({ differences: 3 }))).toBe(false);
  expect(isDiscarded(grading({ can_apply: false }))).toBe(false);
  expect(isDiscarded(grading({ differences: 3, can_apply: false, stage: "applying" }))).toBe(false);
});

test("an applied grading says what it changed and what it left alone", () => {
  expect(standing(grading({ stage: "applying", changed: 12 }))).toBe("Applied: 12 outcomes were changed.");
  expect(standing(grading({ stage: "applying", changed: 1, skipped: 1 }))).toBe(
    "Applied: 1 outcome was changed. 1 trace was left alone, because it was changed in the meantime.",
  );
  expect(standing(grading({ stage: "applying", status: "cancelled", changed: 5 }))).toContain(
    "5 outcomes were already changed",
  );
});

test("a grading asks to be applied only where that would change something", () => {
  expect(adviceFor(grading({ differences: 2 }))).toBe(
    "Nothing is changed yet. Look at the differences, then apply them.",
  );
  expect(adviceFor(grading({ differences: 2, kept: 1 }))).toMatch(/^Nothing is changed yet\. .* 1 trace keeps/);
  expect(adviceFor(grading({ differences: 1, kept: 1 }))).toMatch(/^Nothing would change: 1 trace keeps/);
  expect(adviceFor(grading({}))).toBe("");
});

test("what the grader says of an answer is in words", () => {
  expect(reasonWords("timed_out")).toBe("took too long to decide");
  expect(ruleWords("recorded")).toBe("as the trace records it");
});

test("a reason the page does not know is still readable", () => {
  expect(reasonWords("no_truth")).toBe("the problem has no true answer");
  expect(reasonWords("other_brackets")).toBe("other brackets");
});
