import { expect, test } from "vitest";
import type { EvaluationSummary } from "@/api/trainingTypes";
import { labelsUsed } from "./labelsUsed";

function evaluation(id: number, prm: string, labels: number | null, set = "Recorded errors"): EvaluationSummary {
  return {
    id,
    status: "succeeded",
    prm: { id: prm.length, name: prm },
    evaluation_set: { id: set.length, name: set },
    labels_used: labels,
    auc: { value: 0.7, low: 0.6, high: 0.8 },
  } as unknown as EvaluationSummary;
}

test("trained PRMs stand by their labels, the others beside them, each once", () => {
  const found = labelsUsed([
    evaluation(5, "After ten", 43),
    evaluation(4, "First", 33),
    evaluation(3, "From elsewhere", null),
    evaluation(2, "From elsewhere", null),
    evaluation(1, "After ten", 43),
  ]);
  expect(found?.set).toBe("Recorded errors");
  expect(found?.trained.map((one) => one.id)).toEqual([4, 5]);
  expect(found?.elsewhere.map((one) => one.id)).toEqual([3]);
});

test("one PRM alone, or none trained here, is nothing to compare", () => {
  expect(labelsUsed([evaluation(1, "First", 33)])).toBeNull();
  expect(labelsUsed([evaluation(1, "One", null), evaluation(2, "Another", null)])).toBeNull();
  expect(labelsUsed([evaluation(1, "First", 33), evaluation(2, "Other", null, "Another set")])).toBeNull();
});

test("the set that most trained PRMs were measured on is shown", () => {
  const rows = [
    evaluation(4, "A", 9, "x"),
    evaluation(3, "Bc", 8, "x"),
    evaluation(2, "A", 9),
    evaluation(1, "Def", null),
  ];
  expect(labelsUsed(rows)?.set).toBe("x");
});
