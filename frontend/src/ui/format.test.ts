import { describe, expect, test } from "vitest";
import {
  countOf,
  formatBytes,
  formatCount,
  formatCountdown,
  formatDuration,
  formatPercent,
  formatRelative,
} from "./format";

const now = Date.parse("2026-11-21T12:00:00Z");
const later = (ms: number) => new Date(now + ms).toISOString();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("format", () => {
  test("a count has separators and the right number of the noun", () => {
    expect(formatCount(1_234_567)).toBe("1,234,567");
    expect(countOf(1, "trace")).toBe("1 trace");
    expect(countOf(0, "trace")).toBe("0 traces");
    expect(countOf(2, "member of staff", "members of staff")).toBe("2 members of staff");
  });

  test("a percent never claims nothing or everything falsely", () => {
    expect(formatPercent(0, 10_000)).toBe("0 %");
    expect(formatPercent(1, 10_000)).toBe("<1 %");
    expect(formatPercent(9_999, 10_000)).toBe("99 %");
    expect(formatPercent(10_000, 10_000)).toBe("100 %");
    expect(formatPercent(0, 0)).toBe("n/a");
  });

  test("bytes keep two digits that matter", () => {
    expect(formatBytes(0)).toBe("0 B");
    expect(formatBytes(999)).toBe("999 B");
    expect(formatBytes(1_234)).toBe("1.2 kB");
    expect(formatBytes(999_600)).toBe("1.0 MB");
    expect(formatBytes(52_400_000)).toBe("52 MB");
    expect(formatBytes(1_000_000_000)).toBe("1.0 GB");
  });

  test("a duration names two units at most", () => {
    expect(formatDuration(8_600)).toBe("9 s");
    expect(formatDuration(59_600)).toBe("1 min");
    expect(formatDuration(243_000)).toBe("4 min 3 s");
    expect(formatDuration(12 * MINUTE + 30_000)).toBe("12 min");
    expect(formatDuration(HOUR)).toBe("1 h");
    expect(formatDuration(72 * MINUTE)).toBe("1 h 12 min");
  });

  test("a countdown ends in null, never in a negative time", () => {
    expect(formatCountdown(later(14 * MINUTE + 5_000), now)).toBe("14:05");
    expect(formatCountdown(later(2 * HOUR + 9_000), now)).toBe("2:00:09");
    expect(formatCountdown(later(400), now)).toBe("0:01");
    expect(formatCountdown(later(0), now)).toBeNull();
    expect(formatCountdown(later(-5_000), now)).toBeNull();
  });

  test("a relative time looks both ways and gives a date when far", () => {
    expect(formatRelative(later(-10_000), now)).toBe("just now");
    expect(formatRelative(later(-3 * MINUTE), now)).toBe("3 min ago");
    expect(formatRelative(later(5 * HOUR), now)).toBe("in 5 h");
    expect(formatRelative(later(-24 * HOUR), now)).toBe("1 day ago");
    expect(formatRelative(later(7 * 24 * HOUR), now)).toBe("in 7 days");
    expect(formatRelative("2026-02-03T12:00:00Z", now)).toBe("3 Feb 2026");
  });
});
