import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import type { MyStats } from "@/api/types";
import { MyNumbers } from "./MyNumbers";

afterEach(closeTestPage);

test("today is named under its column, whichever other days have no room for their names", async () => {
  const today = new Date();
  const stats = {
    by_day: [{ day: today.toISOString().slice(0, 10), labels: 3, active_ms: 60_000 }],
    rating_counts: {},
    submitted: 3,
    floor_ms: 2_000,
    round: null,
  } as unknown as MyStats;
  openTestPage({ page: <MyNumbers stats={stats} /> });
  const chart = await screen.findByRole("img", { name: /^Labels by day: 3 labels/ });
  const name = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }).format(today);
  expect(within(chart).getByText(name)).toBeTruthy();
});
