import { describe, expect, it } from "vitest";
import type { RoundFigures } from "@/api/roundTypes";
import { apartWords, type ComparedFigure, comparedWords, headline, trustRows, trustWords } from "./roundFigures";

const estimate = (value: number | null, n: number, low: number | null = null, high: number | null = null) => ({
  value,
  low,
  high,
  n,
  clusters: null,
  no_interval: null,
});
const figure = (name: string, one: ReturnType<typeof estimate>) => ({
  name,
  group: "found",
  better: null,
  is_share: true,
  estimate: one,
});
const figures = (...rows: ReturnType<typeof figure>[]) => ({ figures: rows, trust: [] }) as unknown as RoundFigures;
const ruled = (name: string, word: string) => ({ name, word, share: estimate(0.5, 10), limit: 0.8, most: false });

describe("a round in figures", () => {
  it("begins with what it found and at what price", () => {
    expect(headline(figures())).toBe("None of its traces has been labeled yet.");
    const found = figure("errors_found", estimate(0.6, 57, 0.47, 0.72));
    const rows = [found, figure("minutes_per_trace", estimate(2, 57)), figure("minutes_per_error", estimate(3.5, 34))];
    expect(headline(figures(...rows))).toBe(
      "Labelers found an error in 34 of 57 labeled traces (60 %, 95 %: 47 % to 72 %), at 2 min a trace and 3 min 30 s an error.",
    );
  });

  it("says what speaks against it before it says what is good", () => {
    const trust = (...words: string[]) =>
      ({
        trust: ["gold", "agreement", "hasty"].map((name, at) => ruled(name, words[at] ?? "not_yet")),
      }) as unknown as RoundFigures;
    expect(trustWords(trust("good", "good", "bad"))).toBe("Look at hasty before you train on it.");
    expect(trustWords(trust("good", "good", "good"))).toBe("All rules are met.");
    expect(trustWords(trust("good"))).toContain("1 of 3 rules");
    expect(trustWords(trust())).toBe("Too early to tell.");
  });

  it("leads from each row of the trust strip to the very labels", () => {
    const rows = trustRows("demo", 5, { ...figures(), trust: [ruled("hasty", "bad")] } as unknown as RoundFigures);
    expect(rows.map(({ to }) => to)).toEqual([
      "/projects/demo/labels?round=5&why=hasty",
      "/projects/demo/labels?round=5&kind=gold",
      "/projects/demo/labels?round=5&agreement=differs",
      "/projects/demo/labels?round=5&agreement=alone",
    ]);
    expect(rows.map(({ word }) => word)).toEqual(["bad", null, null, null]);
  });

  it("says a difference with its sign, and counts the marks of two rounds", () => {
    expect(apartWords(estimate(0.12, 40, -0.03, 0.27), true)).toBe("+12 points, 95 %: −3 to +27");
    expect(apartWords(estimate(-0.5, 40), false)).toBe("−30 s");
    expect(apartWords(estimate(null, 0), true)).toBe("n/a");
    const marks = ["better", "better", "worse", "differs", "cannot_tell", "not_known"].map((mark) => ({ mark }));
    expect(comparedWords(marks as ComparedFigure[], "Round 1", "Round 2")).toBe(
      "Round 2 against Round 1: better in 2, worse in 1, differs in 1, cannot be told in 1, n/a in 1 of 6 figures.",
    );
  });
});
