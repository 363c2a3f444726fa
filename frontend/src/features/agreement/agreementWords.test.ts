import { expect, test } from "vitest";
import { estimateWords, finishMatrix } from "./agreementWords";

const ORDER = ["found_error", "solution", "bad_problem", "give_up"];

test("a figure that is undefined says why, and is never a number", () => {
  const none = { value: null, low: null, high: null, n: 0, clusters: null, no_interval: null };
  expect(estimateWords({ ...none, why: "nothing_shared" }, "step")).toContain("nothing was labeled twice");
  expect(estimateWords({ ...none, n: 12, why: "no_variation" }, "step")).toContain("the same answer");
  expect(estimateWords({ ...none, value: -0.125, low: -0.3, high: 0.1, n: 1204, why: null }, "step")).toBe(
    "−0.13, 95 %: −0.30 to 0.10 (1,204 steps)",
  );
});

test("without a chosen pair each pair of labels is counted once, whichever way round the server wrote it", () => {
  const cells = [
    { one: "found_error", other: "found_error", n: 5 },
    { one: "found_error", other: "solution", n: 2 },
    { one: "give_up", other: "solution", n: 1 },
  ] as const;
  const matrix = finishMatrix([...cells], ORDER, false);
  expect(matrix.reasons).toEqual(["found_error", "solution", "give_up"]);
  expect([matrix.count(0, 0), matrix.count(1, 0), matrix.count(0, 1), matrix.count(2, 1)]).toEqual([5, 2, 0, 1]);
  const sum = matrix.reasons.flatMap((_, row) => matrix.reasons.map((__, column) => matrix.count(row, column)));
  expect(sum.reduce((total, n) => total + n, 0)).toBe(matrix.total);
});

test("of two people rows are the first one's and columns the other's", () => {
  const matrix = finishMatrix([{ one: "solution", other: "found_error", n: 3 }], ORDER, true);
  expect([matrix.count(1, 0), matrix.count(0, 1)]).toEqual([3, 0]);
});
