import { expect, test } from "vitest";
import type { Comparison, Difference } from "@/api/trainingTypes";
import { standings } from "@/ui/figureWords";
import { differenceWords, thresholdWords, verdictOf } from "./comparison";

const difference = (name: string, ahead: Difference["ahead"], value = -0.028, low = -0.096, high = 0.037) =>
  ({ name, ahead, value, low, high, n: 9, clusters: 9, no_interval: null }) as Difference;
const of = (differences: Difference[]) =>
  verdictOf({ left: { prm: { name: "New" } }, right: { prm: { name: "Old" } }, differences } as Comparison);

test("the verdict counts every figure, and one that is as good by AUC but finds no error is not called equal", () => {
  const found = [difference("auc", "undecided"), difference("processbench_f1", "right"), difference("ece", null)];
  expect(of(found)).toEqual({
    tone: "warn",
    title: "New against Old: worse in 1, undecided in 1, no interval in 1",
  });
  expect(standings(found)).toMatchObject({ worse: ["ProcessBench F1"], undecided: ["Step AUC"] });
  expect(of([difference("auc", "left")]).tone).toBe("good");
  expect(of([difference("auc", "undecided")]).title).toContain("these traces show no difference");
});

test("a difference has a sign, and so have the ends of its interval", () => {
  expect(differenceWords(difference("auc", "undecided"))).toBe("−0.028, 95 %: −0.096 to +0.037");
});

test("a threshold is only advised where one was chosen on other labels", () => {
  expect(thresholdWords(0.5, 0.8)).toContain("the threshold 0.80 was best");
  expect(thresholdWords(0.5, null)).not.toContain("was best");
});
