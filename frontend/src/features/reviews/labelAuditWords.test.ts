import { expect, test } from "vitest";
import type { LabelAudit, LabelAuditReport } from "@/api/labelAuditTypes";
import { chanceWords, countWords, findingWords, outcomeWords, verdictWord } from "./labelAuditWords";

const report: LabelAuditReport = {
  arms: [],
  rulings: 0,
  withdrawn: 0,
  corrected: [],
  difference: { value: null, low: null, high: null, n: 0 },
};
const found = (value: number | null, low: number | null, high: number | null) =>
  findingWords({ ...report, difference: { value, low, high, n: 40 } });

test("a finding claims no more than its interval holds", () => {
  expect(found(0.3, 0.1, 0.48)).toBe(
    "The PRM finds noise: its labels were corrected 30 points more often (95 % interval 10 to 48 points).",
  );
  expect(found(0.1, -0.1, 0.3)).toContain("cannot be told apart: 10 points (95 % interval −10 to 30");
  expect(found(-0.3, -0.5, -0.1)).toContain("30 points less often");
  expect(found(null, null, null)).toContain("cannot be compared");
  const found30 = { ...report, difference: { value: 0.3, low: 0.1, high: 0.48, n: 40 } };
  expect(findingWords(found30, "rollouts")).toContain("The source finds noise");
});

test("a surprisal is told as the chance that the model gave", () => {
  expect([0, Math.LN2, -Math.log(0.034), -Math.log(1e-6)].map(chanceWords)).toEqual([
    "100 %",
    "50 %",
    "3.4 %",
    "<0.1 %",
  ]);
});

test("what is left out is named, and nothing else", () => {
  const none = {
    labels: 1200,
    unscored: 0,
    learned: 0,
    learned_known: true,
    reviewed: 0,
    same_trace: 0,
    candidates: 1200,
  };
  expect(countWords(none)).toBe("1,200 of 1,200 labels can be chosen.");
  expect(countWords({ ...none, learned: 1000, candidates: 200 })).toBe(
    "200 of 1,200 labels can be chosen; it learned from the traces of 1,000.",
  );
  expect(countWords({ ...none, labels: 18, same_trace: 5, candidates: 13 }, "could")).toBe(
    "13 of 18 labels could be chosen; 5 were beside another label of the same trace, of which one is chosen.",
  );
});

test("what became of the corrections", () => {
  const words = (status: LabelAudit["status"], rulings: number, withdrawn = 0) =>
    outcomeWords({ status, report: { ...report, rulings, withdrawn } });
  expect(words("finished", 1)).toBe("1 correction became the ruling on its task.");
  expect(words("cancelled", 0)).toContain("Nothing was changed.");
  expect(words("undone", 3, 3)).toBe("3 rulings were withdrawn. The reviews made until then are shown.");
  expect(words("undone", 3, 1)).toContain("1 ruling was withdrawn. 2 had already been replaced");
});

test("verdicts count steps from one", () => {
  expect([null, -1, 0].map(verdictWord)).toEqual(["bad problem", "no error", "step 1"]);
});
