import { describe, expect, test } from "vitest";
import { formatNarrow, formatStepScore, formatTraceScore, heatColor, lowestStep, stepShare } from "./score";

describe("a step's score", () => {
  test("is never written as 0 or 1 unless it is", () => {
    expect(
      ["0", "0.004", "0.005", "0.93", "0.996", "1"].map((text) => formatStepScore(Number(text), "probability")),
    ).toEqual(["0.00", "<0.01", "0.01", "0.93", "0.99", "1.00"]);
    expect(formatNarrow(0.931, "probability")).toBe(".93");
    expect(formatNarrow(1, "probability")).toBe("1");
  });

  test("of a model of rewards keeps its sign and has its share by the logistic function", () => {
    expect(formatStepScore(-0.42, "log_ratio")).toBe("−0.4");
    expect(formatStepScore(1.25, "log_ratio")).toMatch(/^\+1\.[23]$/);
    expect(stepShare(0, "log_ratio")).toBe(0.5);
    expect(stepShare(-40, "log_ratio")).toBeCloseTo(0);
    expect(stepShare(1.2, "probability")).toBe(1);
  });

  test("that is lowest is the first of equals, and a step without a number is never it", () => {
    expect(lowestStep([0.9, 0.2, 0.2])).toBe(1);
    expect(lowestStep([null, 0.9])).toBe(1);
    expect(lowestStep([])).toBeNull();
    expect(lowestStep([1, 0.999, null, 1])).toBeNull();
  });

  test("is coloured by three ends: wrong, middle, correct", () => {
    expect(heatColor(0)).toContain("--heat-low) 100%");
    expect(heatColor(0.5)).toContain("--heat-high) 0%");
    expect(heatColor(1)).toContain("--heat-high) 100%");
  });
});

describe("a trace's score", () => {
  test("is the power of the log that is kept, however small", () => {
    expect(formatTraceScore(0)).toBe("1.00");
    expect(formatTraceScore(Math.log(0.42))).toBe("0.42");
    expect(formatTraceScore(Math.log(0.999))).toBe("0.99");
    expect(formatTraceScore(Math.log(0.0034))).toBe("0.003");
    expect(formatTraceScore(Math.log(2e-7))).toBe("2 × 10⁻⁷");
    expect(formatTraceScore(Math.log(9.97e-7))).toBe("10⁻⁶");
    expect(formatTraceScore(-805)).toBe("2 × 10⁻³⁵⁰");
  });

  test("above one is no probability and says that it is a log", () => {
    expect(formatTraceScore(1.5)).toBe("+1.50 (log)");
  });
});
