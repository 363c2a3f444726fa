import { expect, test } from "vitest";
import { lastPart } from "./moveProgress";

const move = { status: "running", rows_total: 7, rows_done: 7 } as const;

test("once all rows are through, the page says what is left instead of 100 %", () => {
  expect(lastPart({ ...move, direction: "take_out" })).toContain("the rows leave the database");
  expect(lastPart({ ...move, direction: "bring_back" })).toContain("they are checked");
});

test("while rows are counted, and when all is over, the count says it", () => {
  expect(lastPart({ ...move, direction: "take_out", rows_done: 6 })).toBeNull();
  expect(lastPart({ ...move, direction: "take_out", status: "queued", rows_total: 0, rows_done: 0 })).toBeNull();
  expect(lastPart({ ...move, direction: "take_out", status: "succeeded" })).toBeNull();
});
