import { expect, test } from "vitest";
import type { TreeAnswer, TreeStep } from "@/api/projectTypes";
import { answersWithin, chipsOf, intervalWords, listedAnswers, outcomeWords, partWords, rightWords } from "./treeWords";

const STEP: TreeStep = {
  place: 1,
  text: "So.",
  score: null,
  people: { negative: 1, neutral: 0, positive: 2, first_errors: 1 },
  sources: [
    { source: 7, right: 1, wrong: 2 },
    { source: null, right: 1, wrong: 0 },
  ],
  rollouts: [{ source: 8, hits: 3, n: 16 }],
  dispute: "people",
  first: true,
};

test("people, sources and rollouts are named apart", () => {
  const sources = [
    { id: 7, name: "Judge", kind: "judge" as const },
    { id: 8, name: "Rollouts", kind: "rollouts" as const },
  ];
  expect(chipsOf([STEP], { sources }).map(({ words }) => words)).toEqual([
    "people −1",
    "people +1 × 2",
    "first error",
    "Judge: 2 wrong, 1 right",
    "the file: 1 right",
    "Rollouts: 3 of 16 rollouts right",
  ]);
});

test("a share says its interval, or why there is none", () => {
  const share = (value: number | null, low: number | null, high: number | null) => ({ value, low, high });
  const outcomes = { correct: 31, wrong: 19, ungraded: 1 };
  expect(rightWords(share(0.62, 0.48, 0.74), outcomes)).toBe("62 % right");
  expect(intervalWords(share(0.62, 0.48, 0.74), outcomes)).toBe("48 to 74");
  expect(intervalWords(share(1, null, null), { correct: 2, wrong: 0, ungraded: 5 })).toBe("n/a (2 graded)");
  expect(rightWords(share(null, null, null), { correct: 0, wrong: 0, ungraded: 5 })).toBe("not graded");
  expect(outcomeWords(outcomes)).toBe("31 right, 19 wrong, 1 not graded");
});

test("a branch's traces stand by the answers of the whole tree, and each stands once", () => {
  const answer = (text: string | null, traces: number[]): TreeAnswer => ({
    answer: text,
    outcomes: { correct: 0, wrong: 0, ungraded: 0 },
    traces,
  });
  expect(answersWithin([1, 2, 4, 9], [answer("12", [1, 3]), answer(null, [2, 4])])).toEqual([
    { words: "no answer", ids: [2, 4] },
    { words: "12", ids: [1] },
    { words: "other answers", ids: [9] },
  ]);
});

test("every right answer is listed, and six in all where fewer are right", () => {
  const answer = (correct: number, trace: number): TreeAnswer => ({
    answer: String(trace),
    outcomes: { correct, wrong: 1, ungraded: 0 },
    traces: [trace],
  });
  const listed = (right: number) =>
    listedAnswers(Array.from({ length: 12 }, (_, place) => answer(place < right ? 1 : 0, place))).length;
  expect([listed(0), listed(1), listed(8)]).toEqual([6, 6, 8]);
});

test("where two traces part is said, also where one ends or they are alike", () => {
  expect(partWords(2, [5, 4])).toBe("They share 2 steps and part at step 3.");
  expect(partWords(0, [5, 4])).toBe("They share no steps.");
  expect(partWords(4, [5, 4])).toBe("One ends after step 4; the other goes on.");
  expect(partWords(4, [4, 4])).toBe("Their steps differ only in spelling.");
  expect(partWords(null, [4, 4])).toContain("not known");
});
