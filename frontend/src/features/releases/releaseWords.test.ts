import { expect, test } from "vitest";
import { overlapSentence, saidWords, stateMark } from "./releaseWords";

const lists = { lists: [], rows: [] };

test("the check says what it found, and that it found nothing", () => {
  expect(overlapSentence({ problems: 3, exact: 0, near: 0, labels: 0, ...lists })).toBe(
    "None of 3 problems is held out, or near to one that is.",
  );
  expect(overlapSentence({ problems: 3, exact: 1, near: 1, labels: 4, ...lists })).toBe(
    "Of 3 problems: 1 held out, 1 near to one that is. They carry 4 labels.",
  );
});

test("a state is a word, also while a worker has it in hand", () => {
  expect(stateMark({ state: "draft", status: "running" }).name).toBe("checking");
  expect(stateMark({ state: "released", status: "queued" }).name).toBe("packing");
  expect(stateMark({ state: "withdrawn", status: "succeeded" }).name).toBe("withdrawn");
});

test("verdicts count steps from one", () => {
  expect([
    saidWords("found_error", 0),
    saidWords("solution", -1),
    saidWords("give_up", null),
    saidWords(null, null),
  ]).toEqual(["step 1", "no error", "gave up", "–"]);
});
