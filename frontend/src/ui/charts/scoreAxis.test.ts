import { describe, expect, test } from "vitest";
import { scoreTicks } from "./scoreAxis";

const labels = (low: number, high: number, room: number) =>
  scoreTicks(Math.log(low), Math.log(high), room).map((tick) => tick.label);

describe("the axis of scores", () => {
  test("over many decades has powers of ten, the highest always among them", () => {
    expect(labels(1e-5, 1, 8)).toEqual(["10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"]);
    expect(
      scoreTicks(-400, 0, 6)
        .map((tick) => tick.label)
        .at(-1),
    ).toBe("1");
    expect(scoreTicks(-400, 0, 6).length).toBeLessThanOrEqual(7);
  });

  test("within a decade has ones, twos and fives", () => {
    expect(labels(0.15, 0.9, 8)).toEqual(["0.2", "0.5"]);
    expect(labels(0.04, 0.9, 8)).toEqual(["0.05", "0.1", "0.2", "0.5"]);
  });

  test("of scores that are no probabilities has the logs themselves", () => {
    expect(scoreTicks(-2, 2, 5).map((tick) => tick.label)).toEqual(["−2.0", "−1.0", "0.0", "1.0", "2.0"]);
  });

  test("of one single score has one place", () => {
    expect(scoreTicks(-1, -1, 5)).toHaveLength(1);
  });
});
