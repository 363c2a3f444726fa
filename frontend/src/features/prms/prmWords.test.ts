import { expect, test } from "vitest";
import type { EvaluationFigure } from "@/api/trainingTypes";
import { besideBaseline, figureNote, figureTone } from "./prmWords";

const figure = (name: string) =>
  ({ name, value: 0.884, low: 0.85, high: 0.91, n: 312, baseline: 0.882, better: true }) as EvaluationFigure;
const gain = (low: number | null, high: number | null) => ({ low, high });

test("a figure is better than the baseline only where the whole interval of the difference says so", () => {
  expect(besideBaseline(figure("auc"), gain(0.01, 0.05))).toBe("better");
  expect(besideBaseline(figure("auc"), gain(-0.05, -0.01))).toBe("worse");
  expect(besideBaseline(figure("auc"), gain(-0.02, 0.03))).toBe("cannot be told");
  expect(besideBaseline(figure("auc"), gain(null, null))).toBe("cannot be told");
});

test("of a figure without an interval of the difference it cannot be told, whichever number is larger", () => {
  expect(figureNote(figure("brier"), gain(0.01, 0.05))).toBe("baseline 0.882 · cannot be told · 312 steps");
  expect(figureTone(figure("brier"), gain(0.01, 0.05))).toBe("zero");
  expect(figureTone(figure("auc"), gain(0.01, 0.05))).toBe("plus");
});
