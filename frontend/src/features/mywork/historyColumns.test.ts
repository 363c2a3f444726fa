import { expect, test } from "vitest";
import type { MyLabel } from "@/api/types";
import { historyColumns, nextAction, revisionFacts, unrevisable, untilWords } from "./historyColumns";

const now = Date.parse("2026-05-01T12:00:00Z");
function label(over: Partial<MyLabel>): MyLabel {
  return { status: "submitted", can_revise_until: null, ...over } as MyLabel;
}

test("a submitted label can be revised until its time has passed", () => {
  expect(nextAction(label({ can_revise_until: "2026-05-01T12:00:01Z" }), now)).toBe("Revise");
  expect(nextAction(label({ can_revise_until: "2026-05-01T11:59:59Z" }), now)).toBeNull();
  expect(nextAction(label({}), now)).toBeNull();
});
test("a submitted label that cannot be revised says so", () => {
  expect(unrevisable(label({ can_revise_until: "2026-05-01T12:00:01Z" }), now)).toBe("");
  expect(unrevisable(label({ can_revise_until: "2026-05-01T11:59:59Z" }), now)).toBe("time to revise is over");
  expect(unrevisable(label({}), now)).toBe("cannot be revised");
  expect(unrevisable(label({ status: "superseded" }), now)).toBe("");
});
test("an open, expired or released label can be continued", () => {
  for (const status of ["open", "expired", "released"] as const)
    expect(nextAction(label({ status }), now)).toBe("Continue");
});
test("an older version stays as it is", () => {
  expect(nextAction(label({ status: "superseded", can_revise_until: "2027-01-01T00:00:00Z" }), now)).toBeNull();
});
test("of a label that was never submitted nothing is said of revising it", () => {
  const facts = (finished_at: string | null, can_revise_until: string | null) =>
    revisionFacts({ status: finished_at ? "submitted" : "expired", finished_at, can_revise_until }, now);
  expect(facts(null, null)).toEqual([]);
  expect(facts("2026-05-01T11:00:00Z", "2026-05-01T11:30:00Z")).toEqual([["Can be revised", "no longer"]]);
  expect(facts("2026-05-01T11:00:00Z", "2099-05-01T12:30:00Z")[0]?.[1]).toMatch(/^until /);
});
test("the deadline is told as a person would say it", () => {
  const at = (date: number, hour: number) => new Date(2026, 4, date, hour, 24).toISOString();
  const today = new Date(2026, 4, 30, 12).getTime();
  expect(untilWords(at(30, 21), today)).toBe("until 21:24");
  expect(untilWords(at(31, 1), today)).toBe("until 01:24 tomorrow");
  expect(untilWords(at(33, 21), today)).toBe("until 2 Jun, 21:24");
});

test("the column of rated steps is not called the number of steps, which a path of written steps has too", () => {
  const names = historyColumns("demo", () => undefined).map(({ name }) => name);
  expect(names).toContain("Rated");
  expect(names).not.toContain("Steps");
});
