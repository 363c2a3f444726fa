import { expect, test } from "vitest";
import type { EvaluationFigure } from "@/api/trainingTypes";
import { besideBaseline, figureNote, figureTone } from "./prmWords";

const figure = (name: string) =>
  ({ name, value: 0.884, low: 0.85, high: 0.91, n: 312, baseline: 0.882, better: true }) as EvaluationFigure;

test("a figure is better than the baseline only where the whole interval of the difference says so", () => {
  expect(besideBaseline(figure("auc"), true)).toBe("better");
  expect(besideBaseline(figure("auc"), false)).toBe("not better");
  expect(besideBaseline(figure("auc"), null)).toBe("cannot be told");
});

test("of a figure without an interval of the difference it cannot be told, whichever number is larger", () => {
  expect(figureNote(figure("brier"), true)).toBe("baseline 0.882 · cannot be told · 312 steps");
  expect(figureTone(figure("brier"), true)).toBe("zero");
  expect(figureTone(figure("auc"), true)).toBe("plus");
});
