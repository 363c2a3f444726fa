import { expect, test } from "vitest";
import { type Foreseen, forecastSentence, formatDay, formatHours, goldOnTop, hasRange } from "./forecastWords";

const YEAR = new Date().getUTCFullYear();
const day = (text: string) => formatDay(text, YEAR);
const nothing = { value: null, low: null, high: null, clusters: null, no_interval: null };
const forecast: Foreseen = {
  labels: 81,
  hours: { value: 3.25, low: 2.83, high: 3.58, clusters: 120, no_interval: null },
  cost: { value: 195, low: 170, high: 215, clusters: 120, no_interval: null },
  currency: "EUR",
  days: { value: 2.4, low: 2, high: 4, clusters: 10, no_interval: null },
  done: { value: `${YEAR}-11-26`, low: `${YEAR}-11-25`, high: `${YEAR}-11-28` },
};

test("a forecast is one sentence with its ranges", () => {
  expect(forecastSentence(forecast)).toBe(
    `81 labels, about 3 h 15 (2 h 50 to 3 h 35), about €195 (€170 to €215), done on ${day(`${YEAR}-11-26`)} (${day(`${YEAR}-11-25`)} to ${day(`${YEAR}-11-28`)})`,
  );
});

test("what the data do not carry is n/a with the reason", () => {
  const few = {
    ...forecast,
    hours: { value: 3.25, low: null, high: null, clusters: 3, no_interval: "few_clusters" as const },
    cost: null,
    days: nothing,
    done: { value: null, low: null, high: null },
  };
  expect(forecastSentence(few)).toBe(
    "81 labels, about 3 h 15 (95 %: n/a (3 problems)), done: n/a (nobody has labeled on a whole day of the last two weeks)",
  );
});

test("a day of another year says so", () => {
  expect(formatDay("2027-04-28", 2026)).toBe("Wed 28 Apr 2027");
  expect(formatDay("2026-11-26", 2026)).toBe("Thu 26 Nov");
});

test("hours are as exact as they are known", () => {
  expect([0.2, 1, 1.05, 41.6].map(formatHours)).toEqual(["12 min", "1 h", "1 h 03", "42 h"]);
});

test("gold comes on top of what is foreseen, where there is any", () => {
  expect([goldOnTop(0), goldOnTop(1)]).toEqual([
    "",
    " Hidden gold comes on top: up to 1 task for each labeler of a round.",
  ]);
});

test("intervals are spoken of only where one stands", () => {
  expect(hasRange(forecast)).toBe(true);
  const none = { value: null, low: null, high: null };
  expect(hasRange({ ...forecast, hours: nothing, cost: null, days: nothing, done: none })).toBe(false);
  expect(hasRange({ ...forecast, hours: nothing, cost: nothing, done: none })).toBe(true);
});
