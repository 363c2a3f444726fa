import { expect, test } from "vitest";
import type { Export } from "@/api/jobTypes";
import { exportWords, measuredSentences, overlapSentence, saidWords, shortLabeler, stateMark } from "./releaseWords";

const lists = { lists: [], rows: [], measured: [] };

test("the check says what it found, and that it found nothing", () => {
  expect(overlapSentence({ problems: 3, exact: 0, near: 0, labels: 0, ...lists })).toBe(
    "None of 3 problems is held out, or near to a held-out one.",
  );
  expect(overlapSentence({ problems: 3, exact: 1, near: 1, labels: 4, ...lists })).toBe(
    "Of 3 problems: 1 held out, 1 near to a held-out one. They have 4 labels.",
  );
});

test("a state is a word, also while a worker has it in hand", () => {
  expect(stateMark({ state: "draft", status: "running" }).name).toBe("checking");
  expect(stateMark({ state: "released", status: "queued" }).name).toBe("packing");
  expect(stateMark({ state: "withdrawn", status: "succeeded" }).name).toBe("withdrawn");
});

test("verdicts count steps from one", () => {
  expect([
    saidWords("found_error", 0),
    saidWords("solution", -1),
    saidWords("give_up", null),
    saidWords(null, null),
  ]).toEqual(["step 1", "no error", "gave up", "–"]);
});

test("an export is told from the others by what it holds", () => {
  const progress = { labels_done: 58, labels_total: 58 };
  const one = { id: 7, format: "neutral", rows: 58, progress, status: "succeeded", created_at: "2026-11-25T04:00:00Z" };
  const words = (config: Export["config"]) => exportWords({ ...one, config } as Export, "Traces");
  expect(words({ gzip: true })).toMatch(/^Export 7: Traces · JSON lines, gzip · 58 rows of 58 labels · all rounds · /);
  const filters = { rounds: [1, 2], finish: ["give_up" as const], split: "held_out" as const };
  expect(words({ container: "parquet", filters })).toContain(
    "Parquet · 58 rows of 58 labels · of 2 chosen rounds, give up, only held out",
  );
});

test("a salted id is cut, an imported name is not", () => {
  expect(shortLabeler("0b1c2d3e-1111-4abc-8def-000000000000")).toBe("0b1c2d3e");
  expect(shortLabeler("Jane Smith, Acme")).toBe("Jane Smith, Acme");
});

test("problems of evaluation sets that a release gives to train on are told of, set by set", () => {
  const measured = [
    { name: "Golden", problems: 16 },
    { name: "One", problems: 1 },
  ];
  const [first, second] = measuredSentences({ measured });
  expect(first).toBe(
    "16 problems of the evaluation set “Golden” are in the training data of this release. A model trained on it cannot be measured on that set.",
  );
  expect(second).toContain("1 problem of the evaluation set “One” is in the training data");
  expect(measuredSentences({ measured: [] })).toEqual([]);
});
