import { describe, expect, it } from "vitest";
import { activeOf, dayFilter, driftSays, driftWords, othersWords, payWords, standing } from "./labelerWords";

const share = (value: number | null, n: number) => ({
  value,
  low: null,
  high: null,
  n,
  clusters: null,
  no_interval: null,
});
const figure = (
  name: "gold" | "hasty" | "agreement",
  word: "good" | "bad" | "not_yet",
  value: number | null,
  n: number,
) => ({
  name,
  word,
  share: share(value, n),
  limit: 0.8,
  most: false,
});
const person = { id: 7, display_name: "Ada", kind: "person" as const };
const drift = (value: number | null, low: number | null, high: number | null, clusters = 9) => ({
  ...share(value, 40),
  low,
  high,
  clusters,
  no_interval: low === null && value !== null ? ("few_clusters" as const) : null,
});

describe("a labeler's page", () => {
  it("begins with what speaks against the work, else with what is known", () => {
    const bad = [figure("gold", "bad", 0.5, 20), figure("hasty", "good", 0, 40)];
    expect(standing({ labeler: person, labels: 40, figures: bad })).toBe(
      "Ask about this before you decide: 10 of 20 answers to hidden gold as expected.",
    );
    const some = [figure("gold", "good", 1, 20), figure("agreement", "not_yet", null, 0)];
    expect(standing({ labeler: person, labels: 40, figures: some })).toContain("1 of 2 rules are certainly met");
    expect(standing({ labeler: person, labels: 40, figures: some.slice(0, 1) })).toContain(
      "Careful work by every rule",
    );
    expect(standing({ labeler: person, labels: 3, figures: some.slice(1) })).toContain("Too little is known");
    expect(standing({ labeler: person, labels: 0, figures: some })).toBe("No labels of ordinary work yet.");
    expect(standing({ labeler: { ...person, kind: "imported" }, labels: 0, figures: some })).toContain("import");
  });

  it("says a drift with its interval, and never one that few days cannot carry", () => {
    expect(driftWords(drift(-0.02, -0.034, -0.006))).toBe("−2.0 % a week, 95 %: −3.4 % to −0.6 %");
    expect(driftSays(drift(-0.02, -0.034, -0.006))).toBe("Getting faster from week to week.");
    expect(driftSays(drift(0.02, -0.1, 0.2))).toBe("These days show no change.");
    expect(driftWords(drift(0.5, null, null, 3))).toBe("n/a: 3 days of work; at least 5 are needed");
    expect(driftSays(drift(0.5, null, null, 3))).toContain("Too early to tell");
    expect(driftWords(drift(null, null, null))).toContain("one day");
    expect(driftWords({ ...drift(null, null, null), n: 0 })).toBe("n/a: no timed labels yet");
  });

  it("compares the pace with the others where there are any", () => {
    expect(othersWords({ labelers: 4, least: 8.2, most: 16 })).toBe("the others 8.2 to 16 s");
    expect(othersWords({ labelers: 0, least: null, most: null })).toBe("nobody to compare with yet");
  });

  it("takes labels that came without a time for no time at all", () => {
    expect(activeOf({ active_ms: 0, labels: 3 })).toBe("n/a");
    expect(activeOf({ active_ms: 0, labels: 0 })).toBe("0 s");
    expect(activeOf({ active_ms: 60_000, labels: 3 })).toBe("1 min");
    const paid = { active_ms: 0, money: 0, currency: "EUR", hourly_rate: "24.00" };
    expect(payWords(paid)).toBe("no label came with its time");
  });

  it("asks the list for a day's hasty labels, to its end", () => {
    expect(dayFilter(7, "2026-02-28")).toBe(
      "labels?labeler=7&why=hasty&since=2026-02-28T00:00:00Z&until=2026-03-01T00:00:00Z",
    );
  });
});
