import { describe, expect, it } from "vitest";
import {
  labelersAsked,
  labelersPath,
  labelsOf,
  medianWords,
  narrowedWords,
  newestMark,
  newestWords,
} from "./sideBySide";

const nothing = { round: "", since: "", until: "" };
const estimate = (value: number | null, low: number | null = null, high: number | null = null, n = 10) => ({
  value,
  low,
  high,
  n,
  clusters: n,
  no_interval: low === null && value !== null ? ("few_clusters" as const) : null,
});

describe("the list of labelers", () => {
  it("carries its filters into its table and into the list of labels", () => {
    const asked = labelersAsked({ round: "12", since: "2026-11-05", until: "2026-11-08" });
    const [first, last] = [new Date(2026, 10, 5).toISOString(), new Date(2026, 10, 9).toISOString()];
    const query = new URLSearchParams(labelsOf("algebra", 7, asked, "hasty").split("?")[1]);
    expect(Object.fromEntries(query)).toEqual({
      labeler: "7",
      kind: "work",
      round: "12",
      since: first,
      until: last,
      why: "hasty",
    });
    expect(labelersPath("algebra", labelersAsked({ ...nothing, round: "12" }), ".csv")).toBe(
      "/api/projects/algebra/labelers.csv?round=12",
    );
    expect(labelsOf("algebra", 7, nothing)).toBe("/projects/algebra/labels?labeler=7&kind=work");
  });

  it("says what it is narrowed to", () => {
    const rounds = [{ id: 12, number: 3, name: "Overlap pilot" }];
    const year = new Date().getUTCFullYear();
    expect(narrowedWords({ ...nothing, round: "12" }, rounds)).toBe("in round 3 Overlap pilot");
    expect(narrowedWords({ ...nothing, since: `${year}-03-01`, round: "12" }, rounds)).toMatch(
      /^in round 3 .*, since .* 1 Mar$/,
    );
    expect(narrowedWords({ ...nothing, until: `${year}-03-01` }, rounds)).toMatch(/^up to .* 1 Mar$/);
    expect(narrowedWords({ ...nothing, round: "13" }, rounds)).toContain("not in this project");
  });

  it("says a median with its interval, or why there is none", () => {
    const of = (median: ReturnType<typeof estimate>, judged = median.n) =>
      medianWords({ pace: { median, newest: null, change: null }, too_fast: estimate(0, 0, 0, judged) });
    expect(of(estimate(33, 28, 40))).toBe("33 s, 95 %: 28 s to 40 s");
    expect(of(estimate(8, null, null, 5))).toBe("8.0 s, 95 %: n/a (5 labels)");
    expect(of(estimate(33, 28, 40, 8), 9)).toBe(
      "33 s, 95 %: 28 s to 40 s, of 8 of 9 labels: the other came without a time",
    );
    expect(of(estimate(null, null, null, 0), 9)).toBe("n/a: no label came with its time");
    expect(of(estimate(null, null, null, 0))).toContain("no label with a rated step");
  });

  it("marks the newest labels that a whole median hides", () => {
    const pace = { median: estimate(33, 28, 40), newest: estimate(1, 0.9, 1.2), change: "faster" as const };
    expect(newestWords(pace)).toBe("1.0 s, 95 %: 0.9 s to 1.2 s, faster than all before");
    expect(newestMark(pace, 2000)).toEqual({ tone: "bad", word: "hasty" });
    expect(newestMark(pace, 500)).toEqual({ tone: "quiet", word: "faster" });
    expect(newestMark({ ...pace, change: null }, 500)).toBeNull();
    expect(newestMark({ ...pace, newest: null, change: null }, 2000)).toBeNull();
    expect(newestWords({ ...pace, newest: null, change: null })).toContain("too few earlier labels");
  });
});
