import { expect, test } from "vitest";
import { differNote, otherAnswer, recordedNote } from "./recordedWords";

const say = (...first: (number | null)[]) => differNote(first.map((first_error) => ({ first_error })));

test("those who say where a trace goes wrong agree or not; who says nothing counts in neither", () => {
  expect(say(2, 2, null)).toBe("Both name the same first error.");
  expect(say(2, -1, 2)).toBe("3 verdicts, 2 different ones.");
  expect(say(1, null)).toBe("");
});

test("a file's decisive error is named as such, and never as the first error", () => {
  const marks = {
    decisive_error: 3,
    recovered_at: null,
    outcome: "" as const,
    safety: "none" as const,
    comment: "",
    acts: [],
  };
  expect(recordedNote({ recorded_first_error: null, recorded_marks: marks })).toBe(
    "According to its file: the decisive error is step 4.",
  );
  expect(recordedNote({ recorded_first_error: 1, recorded_marks: marks })).toBe(
    "According to its file: the first error is step 2; the decisive error is step 4.",
  );
  expect(recordedNote({ recorded_first_error: -1, recorded_marks: null })).toBe(
    "According to its file: no step is wrong.",
  );
  expect(recordedNote({ recorded_first_error: null, recorded_marks: null })).toBe("");
});

test("a file that gave another right answer says which", () => {
  expect(otherAnswer({ metadata: { problem_as_given: { ground_truth_answer: "456" } } })).toBe("456");
  expect(otherAnswer({ metadata: { problem_as_given: { ground_truth_answers: ["456", "45"] } } })).toBe("456; 45");
  expect(otherAnswer({ metadata: { problem_as_given: { subject: "Algebra" } } })).toBe("");
  expect(otherAnswer({ metadata: {} })).toBe("");
});
