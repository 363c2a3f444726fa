import { expect, test } from "vitest";
import type { Prm } from "@/api/roundTypes";
import type { EvaluationFigure } from "@/api/trainingTypes";
import { besideBaseline, figureNote, figureTone, twinsOf } from "./prmWords";

const gain = { value: 0.002, low: -0.01, high: 0.02, n: 312, clusters: null, no_interval: null };
const figure = (name: string, standing: EvaluationFigure["standing"] = null, of: EvaluationFigure["gain"] = gain) =>
  ({ name, value: 0.884, low: 0.85, high: 0.91, n: 312, baseline: 0.882, gain: of, standing }) as EvaluationFigure;

test("a figure is better or worse than the baseline only where the server finds the whole interval says so", () => {
  expect(figureNote(figure("brier", "worse"), true)).toBe("baseline 0.882 · worse · 312 steps");
  expect(figureNote(figure("auc", "undecided"), false)).toBe("baseline 0.882 · undecided · 312 steps");
  expect(figureNote(figure("ece"), true)).toBe("baseline 0.882 · not known · 312 steps");
  const tones = (["better", "worse", "undecided", null] as const).map((one) => figureTone(figure("auc", one), true));
  expect(tones).toEqual(["plus", "minus", "zero", "zero"]);
});

test("a report from before has the difference of step AUC alone, whichever number is larger", () => {
  const older = (name: string, beats: boolean | null) => besideBaseline(figure(name, null, null), beats);
  expect([older("auc", true), older("auc", false), older("auc", null), older("brier", true)]).toEqual([
    "better",
    "not better",
    "unknown",
    "unknown",
  ]);
});

test("a PRM has as twins those with its fingerprint that are still offered, and none before it was checked", () => {
  const prm = (id: number, fingerprint: string, status = "ready") =>
    ({ id, name: `PRM ${id}`, fingerprint, status }) as Prm;
  const all = [prm(1, "a"), prm(2, "a"), prm(3, "a", "retired"), prm(4, "b"), prm(5, ""), prm(6, "")];
  expect(all.map((one) => twinsOf(one, all))).toEqual([["PRM 2"], ["PRM 1"], [], [], [], []]);
});
