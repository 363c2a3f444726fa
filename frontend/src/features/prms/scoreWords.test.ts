import { expect, test } from "vitest";
import type { ScoreImport } from "@/api/scoreTypes";
import { outcomeOf } from "./scoreWords";

const job: ScoreImport = {
  id: 1,
  file_name: "scores.jsonl",
  name: "Cluster",
  fingerprint: "f",
  scale: "probability",
  aggregation: "product",
  scorer: null,
  dry_run: false,
  skip_faulty: false,
  status: "succeeded",
  created_at: "2026-11-24T10:00:00Z",
  created_by: null,
  started_at: null,
  finished_at: null,
  progress: { bytes_done: 1, bytes_total: 1, rows: 3 },
  attempts: 1,
  report: null,
  error: "",
} as ScoreImport;
const report = {
  rows: 3,
  scores: { new: 2, known: 1 },
  without_score: 4,
  faults: { total: 0, kinds: [] },
  imported: true,
} as NonNullable<ScoreImport["report"]>;

test("an import of scores says what it brought, what was known and what stays without a score", () => {
  expect(outcomeOf({ ...job, report })).toBe(
    "Imported scores for 2 traces. 1 were already known. 4 traces in the project have no score from it. A round that chooses by it leaves them out.",
  );
});

test("a dry run says what it would bring, with and without faults", () => {
  const dry = { ...job, dry_run: true };
  expect(outcomeOf({ ...dry, report: { ...report, imported: false, scores: { new: 2, known: 0 } } })).toBe(
    "The file has no faults. Importing it would add scores for 2 traces.",
  );
  const faults = { total: 1, kinds: [] } as unknown as typeof report.faults;
  expect(outcomeOf({ ...dry, report: { ...report, imported: false, faults, scores: { new: 2, known: 0 } } })).toBe(
    "1 fault found. Without the faulty rows, importing it would add scores for 2 traces.",
  );
});

test("what did not end says why", () => {
  expect(outcomeOf({ ...job, status: "failed", error: "The disk is full." })).toBe("The disk is full.");
  expect(outcomeOf({ ...job, status: "cancelled" })).toBe("The import was cancelled. Nothing was imported.");
});
