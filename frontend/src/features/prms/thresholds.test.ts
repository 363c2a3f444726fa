import { expect, test } from "vitest";
import type { OperatingPoint } from "@/api/trainingTypes";
import { bestHere, byRecall, placeOf, pointWords, thresholdDigits, whyNoCurve } from "./thresholds";

const point = (threshold: number, found: number, judged: number, f1 = 0.5): OperatingPoint => ({
  threshold,
  found,
  judged_wrong: judged,
  precision: judged === 0 ? null : found / judged,
  recall: found / 10,
  f1_negative: f1,
  processbench_f1: null,
});
const POINTS = [point(0.1, 0, 0, 0), point(0.3, 4, 5, 0.53), point(0.4, 4, 8, 0.44), point(0.9, 10, 60, 0.29)];

test("of several thresholds that find as many, the one that cries wolf least is on the curve", () => {
  expect(byRecall(POINTS).map(({ point }) => point.threshold)).toEqual([0.3, 0.9]);
});

test("a threshold's own point is found, and the best one here", () => {
  expect(placeOf(POINTS, 0.4)).toBe(2);
  expect(placeOf(POINTS, 0.39)).toBe(2);
  expect(bestHere(POINTS)?.threshold).toBe(0.3);
});

test("what is said in a narrow range is told apart", () => {
  expect(thresholdDigits(POINTS)).toBe(2);
  expect(thresholdDigits([point(0.991, 1, 1), point(0.999, 2, 2)])).toBe(4);
  expect(thresholdDigits([point(0.5, 1, 1)])).toBe(2);
});

test("a point is told in words, also where it judges nothing wrong", () => {
  expect(pointWords(POINTS[1] as OperatingPoint, { wrong: 10 })).toBe(
    "5 steps judged wrong, 4 of them correctly (precision 0.80); found 4 of 10 wrong steps (recall 0.40). F1 of wrong steps 0.53, ProcessBench F1 n/a.",
  );
  expect(pointWords(POINTS[0] as OperatingPoint, { wrong: 10 })).toMatch(/^No step is judged wrong\./);
});

test("where there is no curve it is said why", () => {
  expect(whyNoCurve({ steps: 75, wrong: 10, points: POINTS })).toBeNull();
  expect(whyNoCurve({ steps: 0, wrong: 0, points: [] })).toMatch(/^No step in this set was both rated/);
  expect(whyNoCurve({ steps: 75, wrong: 2, points: [] })).toMatch(
    /^Of 75 rated steps, people found 2 wrong. That is too few/,
  );
  expect(whyNoCurve({ steps: 75, wrong: 73, points: [] })).toMatch(/people found 2 right\./);
});
