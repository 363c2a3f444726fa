import { screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Forecast } from "@/api/homeTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { OpenWork } from "./HomeTop";

afterEach(closeTestPage);

function open(...hasty: number[]) {
  const by_day = hasty.map((count, index) => ({ day: `2026-11-${27 + index}`, labels: 8, hasty: count }));
  const unknown = { value: null, low: null, high: null, n: 0 };
  const rest = { hours: unknown, cost: null, days: unknown, done: unknown, minutes_a_label: unknown };
  const forecast = { labels: 0, by_day, ...rest } as unknown as Forecast;
  openTestPage({ page: <OpenWork slug="demo" forecast={forecast} /> });
}

test("the looks of labels by day are told: pale is today, hatched are hasty ones", () => {
  open(0, 7);
  expect(screen.getByText(/Pale: today/).textContent).toMatch(/Hatched: hasty ones/);
  expect(screen.getByText(/15 labels, 7 of them hasty$/)).toBeTruthy();
});

test("where none is hasty nothing is said of hatching", () => {
  open(0, 0);
  expect(screen.getByText(/Pale: today/).textContent).not.toMatch(/Hatched/);
});
