import { describe, expect, test } from "vitest";
import { countTicks, fillDays, labelEvery, lineTicks, tickDigits, valueTicks, wellApart } from "./scale";

describe("scale", () => {
  test("ticks are round, whole and reach the highest value", () => {
    expect(countTicks(0)).toEqual([0, 1]);
    expect(countTicks(3)).toEqual([0, 1, 2, 3]);
    expect(countTicks(10)).toEqual([0, 5, 10]);
    expect(countTicks(37)).toEqual([0, 10, 20, 30, 40]);
    expect(countTicks(1_200)).toEqual([0, 500, 1_000, 1_500]);
  });

  test("labels are thinned until they fit", () => {
    expect(labelEvery(10, 20)).toBe(1);
    expect(labelEvery(30, 10)).toBe(3);
    expect(labelEvery(30, 0.4)).toBe(30);
  });

  test("days without a label are shown as zeros, the newest last", () => {
    const days = fillDays([{ day: "2026-11-19", labels: 4, active_ms: 60_000 }], "2026-11-21", 5);
    expect(days.map((day) => [day.day, day.labels])).toEqual([
      ["2026-11-17", 0],
      ["2026-11-18", 0],
      ["2026-11-19", 4],
      ["2026-11-20", 0],
      ["2026-11-21", 0],
    ]);
  });

  test("a long history is cut to the newest days", () => {
    const days = fillDays([{ day: "2020-01-01", labels: 1, active_ms: 0 }], "2026-11-21", 5, 30);
    expect(days).toHaveLength(30);
    expect(days.at(-1)?.day).toBe("2026-11-21");
  });
});

test("ticks of a curve are round and hold both ends", () => {
  expect(lineTicks(0, 1)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  for (const [low, high] of [
    [0.612, 0.871],
    [-38.2, -0.4],
    [5, 5.001],
  ] as const) {
    const ticks = lineTicks(low, high);
    expect(ticks[0]).toBeLessThanOrEqual(low + 1e-9);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(high - 1e-9);
    expect(ticks.length).toBeLessThan(9);
  }
});

test("ticks of figures have no digits but their own", () => {
  expect(valueTicks(1.6)).toEqual([0, 0.4, 0.8, 1.2, 1.6]);
  for (const top of [0.07, 0.3, 1.1, 2.9, 6.1])
    for (const tick of valueTicks(top)) expect(String(tick).length).toBeLessThan(7);
});

test("ticks of a narrow range have the digits that tell them apart", () => {
  for (const [low, high] of [
    [-0.32, -0.28],
    [0.5012, 0.5019],
    [0, 1],
    [-38.2, -0.4],
  ] as const) {
    const ticks = lineTicks(low, high);
    const labels = ticks.map((tick) => tick.toFixed(tickDigits(ticks)));
    expect(new Set(labels).size).toBe(ticks.length);
    expect(labels.map(Number)).toEqual(ticks);
  }
});

test("names under a curve keep their distance however unevenly its places lie", () => {
  expect(wellApart([0, 10, 20, 30, 40, 87, 100], (place) => 2 * place, 40)).toEqual([0, 20, 40, 87]);
  expect(wellApart([], (place) => place, 40)).toEqual([]);
});
