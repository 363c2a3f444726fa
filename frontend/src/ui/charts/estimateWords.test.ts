import { expect, test } from "vitest";
import { decimal, signed, withInterval } from "./estimateWords";

test("a figure without an interval says why, and one with an interval says 95 %", () => {
  const two = (value: number) => decimal(value, 2);
  const known = { value: -0.125, low: -0.3, high: 0.1 };
  expect(withInterval(known, two)).toBe("−0.13, 95 %: −0.30 to 0.10");
  const none = { value: 0.894, low: null, high: null };
  expect(withInterval({ ...none, clusters: 2, no_interval: "few_clusters" }, two)).toBe("0.89, 95 %: n/a (2 problems)");
  expect(withInterval({ ...none, clusters: 1, no_interval: "few_clusters" }, two, "trace")).toBe(
    "0.89, 95 %: n/a (1 trace)",
  );
  expect(withInterval({ ...none, clusters: 9, no_interval: "all_alike" }, two)).toContain("9 problems, all alike");
  expect(withInterval({ ...none, no_interval: "no_method" }, two)).toBe("0.89");
  expect(withInterval({ value: null, low: null, high: null }, two)).toBe("n/a");
});

test("negative figures have a minus sign, and no zero has one", () => {
  expect([decimal(-0.028, 3), decimal(-0.0001, 3), signed(0.5), signed(-0.5), signed(0)]).toEqual([
    "−0.028",
    "0.000",
    "+0.500",
    "−0.500",
    "0.000",
  ]);
});
