import { describe, expect, it } from "vitest";
import { type Worth, worthVerdict, worthWords } from "./worthWords";

const NOTHING: Worth = { run: null, labels: null, random_labels: null, worth: null, at_least: null, because: null };

function measured(value: number, low: number, high: number): Worth {
  const worth = { value, low, high, n: 300, clusters: 80, no_interval: null };
  return { ...NOTHING, run: 4, labels: 300, random_labels: 900, worth };
}

describe("what a round's choice was worth", () => {
  it("is so many random labels, with the interval, and a verdict only where the whole interval has it", () => {
    expect(worthWords(measured(420.4, 310, 640))).toBe(
      "These 300 chosen labels taught as much as about 420 random ones would have (95 %: 310 to 640).",
    );
    expect(worthVerdict(measured(420, 310, 640))).toContain("Choosing paid");
    expect(worthVerdict(measured(420, 290, 640))).toContain("is unclear");
    expect(worthVerdict(measured(120, 40, 250))).toBe("Random labels would have taught more.");
  });

  it("says it where chosen labels took something away", () => {
    expect(worthWords(measured(-40, -60, -8))).toBe(
      "These 300 chosen labels taught less than none (95 %: −60 to −8 random ones).",
    );
  });

  it("says why there is no number, and the low end where that is known", () => {
    expect(worthWords({ ...NOTHING, because: "not_trained" })).toContain("no head has learned from this round yet");
    expect(worthWords({ ...NOTHING, run: 4, because: "not_newest" })).toContain("only its ten newest rounds");
    const few: Worth = { ...NOTHING, run: 4, labels: 300, random_labels: 60, because: "few_random", at_least: 129 };
    expect(worthWords(few)).toMatch(/^How many random labels these 300 chosen labels were worth is not known, because/);
    expect(worthWords(few)).toMatch(/At least 129, though\.$/);
    expect(worthVerdict(few)).toBe("");
    expect(worthVerdict({ ...few, at_least: 310 })).toContain("Choosing paid");
  });
});
