import { expect, test } from "vitest";
import type { LabelSummary } from "@/api/types";
import { nextAction } from "./historyColumns";

const now = Date.parse("2026-05-01T12:00:00Z");
function label(over: Partial<LabelSummary>): LabelSummary {
  return { status: "submitted", can_revise_until: null, ...over } as LabelSummary;
}

test("a submitted label can be revised until its time has passed", () => {
  expect(nextAction(label({ can_revise_until: "2026-05-01T12:00:01Z" }), now)).toBe("Revise");
  expect(nextAction(label({ can_revise_until: "2026-05-01T11:59:59Z" }), now)).toBeNull();
  expect(nextAction(label({}), now)).toBeNull();
});
test("an open, expired or released label can be continued", () => {
  for (const status of ["open", "expired", "released"] as const)
    expect(nextAction(label({ status }), now)).toBe("Continue");
});
test("an older version stays as it is", () => {
  expect(nextAction(label({ status: "superseded", can_revise_until: "2027-01-01T00:00:00Z" }), now)).toBeNull();
});
