import { expect, test } from "vitest";
import type { WaitingThing } from "@/api/homeTypes";
import { badgesOf, dayWords, homeTitle, qualityVerdict } from "./homeWords";

const thing = (kind: WaitingThing["kind"], more: Partial<WaitingThing> = {}): WaitingThing => ({
  kind,
  count: 3,
  of: 10,
  number: 2,
  name: "",
  id: 1,
  ...more,
});
const share = { value: 0.9, low: 0.85, high: 0.95, n: 80, clusters: null, no_interval: null };

test("a badge counts decisions, and Home has all of them", () => {
  const waits = [thing("reviews"), thing("hasty_labeler"), thing("ready_round")];
  expect(badgesOf(waits)).toEqual({ Labels: 2, Rounds: 1, Home: 3 });
  expect(badgesOf([])).toEqual({});
});

test("of a day all labels are told, and how many of them were hasty", () => {
  const day = `${new Date().getUTCFullYear()}-11-28`;
  expect(dayWords({ day, labels: 8, hasty: 7 })).toMatch(/ 28 Nov: 15 labels, 7 of them hasty$/);
  expect(dayWords({ day, labels: 1, hasty: 0 })).toMatch(/: 1 label$/);
  expect(dayWords({ day, labels: 0, hasty: 3 })).toMatch(/: 3 labels, all hasty$/);
  expect(dayWords({ day, labels: 0, hasty: 1 })).toMatch(/: 1 label, hasty$/);
});

test("the first line says what waits, or that nothing does", () => {
  expect(homeTitle(undefined, [])).toBe("Nothing is waiting for you.");
  expect(homeTitle(undefined, [thing("reviews"), thing("ready_round")])).toBe(
    "3 tasks wait for a reviewer, and 1 more thing.",
  );
});

test("one bad figure is named, and what cannot be told is never called good", () => {
  const gold = { name: "gold" as const, share, word: "good" as const, limit: 0.8, most: false };
  expect(qualityVerdict([gold])).toBe("All rules are met.");
  expect(qualityVerdict([gold, { ...gold, name: "hasty", word: "bad" }])).toBe("Look at hasty before you train.");
  expect(qualityVerdict([{ ...gold, word: "not_yet" }])).toBe("Too early to tell.");
});
