import { describe, expect, it } from "vitest";
import { auditAsked } from "./auditFilters";

const nothing = { who: "", what: "", since: "", until: "" };

describe("auditAsked", () => {
  it("asks for whole days of the reader's clock, the last one too", () => {
    const asked = auditAsked({ ...nothing, who: "Ada", since: "2026-11-30", until: "2026-11-30" });
    expect(asked.who).toBe("Ada");
    expect(asked.since).toBe(new Date(2026, 10, 30).toISOString());
    expect(asked.until).toBe(new Date(2026, 11, 1).toISOString());
  });

  it("asks for nothing where the address has no day", () => {
    expect(auditAsked({ ...nothing, since: "yesterday", until: "2026" })).toEqual(nothing);
  });
});
