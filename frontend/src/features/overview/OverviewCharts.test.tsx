import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Overview } from "@/api/projectTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { ErrorPositions } from "./OverviewCharts";

afterEach(closeTestPage);

test("where the first error is says what is counted along and what up", async () => {
  const first_error_histogram = [
    { step: 0, n: 3 },
    { step: 2, n: 5 },
  ];
  const overview = { first_error_histogram, labelers: [] } as unknown as Overview;
  openTestPage({ page: <ErrorPositions overview={overview} /> });
  const chart = await screen.findByRole("img", { name: /8 first errors over steps 1 to 3/ });
  expect(within(chart).getByText("labels")).toBeTruthy();
  expect(within(chart).getByText("step")).toBeTruthy();
});
