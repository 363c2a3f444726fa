import { describe, expect, it } from "vitest";
import { periodAsked } from "./period";

describe("a period", () => {
  it("asks for whole days of the reader's clock, the last one too", () => {
    const asked = periodAsked({ since: "2026-11-30", until: "2026-11-30" });
    expect(asked.since).toBe(new Date(2026, 10, 30).toISOString());
    expect(asked.until).toBe(new Date(2026, 11, 1).toISOString());
  });

  it("asks for nothing where the address has no day", () => {
    expect(periodAsked({ since: "yesterday", until: "2026" })).toEqual({ since: "", until: "" });
    expect(periodAsked({ since: "", until: "" })).toEqual({ since: "", until: "" });
  });
});
