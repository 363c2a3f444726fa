import { expect, test } from "vitest";
import { gainLines, gainWords, type LearningCurveFacts, learningVerdict } from "./learningWords";

const gain = (value: number, low: number, high: number) => ({ value, low, high });
const curve = (...gains: LearningCurveFacts["gains"]): LearningCurveFacts => ({
  labels: 1000,
  problems: 50,
  points: [],
  gains,
});
const said = { more: 2000, gain: gain(0.021, 0.004, 0.038), auc: 0.742, because: null } as const;

test("a gain is said with its interval, and what cannot be said with its reason", () => {
  expect(gainWords(said)).toBe("2,000 more labels: step AUC about 0.742, +0.021 (95 %: +0.004 to +0.038)");
  expect(gainWords({ more: 1, gain: null, auc: null, because: "wide" })).toBe(
    "1 more label: cannot be said, because the interval is wider than 0.1",
  );
});

test("what cannot be said of any number of labels is said once", () => {
  const silent = { gain: null, auc: null, because: "wide" } as const;
  const lines = gainLines(curve({ more: 10, ...silent }, { more: 20, ...silent }));
  expect(lines).toEqual(["What more labels would bring cannot be said, because the interval is wider than 0.1."]);
  expect(gainLines(curve(said, { more: 4000, ...silent }))).toHaveLength(2);
});

test("the title promises only what the whole interval says", () => {
  expect(learningVerdict(curve(said))).toBe("More labels still teach: with 3,000 in all, +0.021 of step AUC");
  expect(learningVerdict(curve({ ...said, gain: gain(0.01, -0.01, 0.03) }))).toBe(
    "Whether more labels would teach more is open: with 3,000 in all, −0.010 to +0.030",
  );
  expect(learningVerdict(curve({ ...said, gain: gain(0, -0.003, 0.003) }))).toBe(
    "More labels like these would teach hardly anything",
  );
  expect(learningVerdict(curve({ more: 500, gain: null, auc: null, because: "few_points" }))).toBe(
    "Whether more labels would teach more cannot be said yet",
  );
});
