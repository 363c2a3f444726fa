import { expect, test } from "vitest";
import type { Source } from "@/api/sourceTypes";
import { budgetWords, compared, estimateSentence, sameAgain, settingsWords } from "./sourceWords";

const source = (settings: Source["settings"]) => ({ settings }) as Source;

test("what tells two sources apart is said in words, not in the names of settings", () => {
  expect(settingsWords(source({ completer: { model: "q7", prompt: "go_on" }, strategy: "everywhere", n: 8 }))).toBe(
    "q7 · from every prefix (Math-Shepherd) · 8 rollouts",
  );
  expect(settingsWords(source({ judge: { model: "q7", prompt: "processbench/1" }, votes: 1 }))).toBe(
    "q7 · processbench/1 · 1 vote",
  );
  expect(settingsWords(source({ judge: { model: "q7", prompt: "{problem} {solution}" }, votes: 5 }))).toContain(
    "own template",
  );
  expect(settingsWords(source({ rule: "weakest", sources: [1, 2] }))).toBe("the weakest wins");
});

test("figures rest on the traces of which the source says something", () => {
  expect(compared({ traces: 221, silent: { split: 12, unread: 6 } })).toContain("no error, for 203 of them");
  expect(compared({ traces: 221, silent: {} })).toContain("no error, for each of them");
});

test("a run goes on under as much again of each budget that it had, and under none only where it had none", () => {
  const used = { tokens_in: 400, tokens_out: 600, cost: 0.25 };
  const again = (token_budget: number | null, money_budget: number | null) =>
    sameAgain({ ...used, token_budget, money_budget });
  expect(again(1000, null)).toEqual({ token_budget: 2000, money_budget: null });
  expect(again(null, 0.25)).toEqual({ token_budget: null, money_budget: 0.5 });
  expect(again(null, null)).toEqual({ token_budget: null, money_budget: null });
  expect(budgetWords({ token_budget: 6000, money_budget: 0.5 })).toBe("6,000 tokens or a cost of 0.5");
});

test("a run with nothing to look at says so", () => {
  const nothing = { traces: 0, steps: 0, calls: 0, tokens_in: 0, tokens_out: 0, cost: 0, seconds: null, waits_for: [] };
  expect(estimateSentence(nothing)).toBe("Nothing to do: this source has already seen every trace that fits.");
});
