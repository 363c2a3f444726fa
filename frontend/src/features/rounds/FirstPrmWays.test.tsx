import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { NewRoundPage } from "./NewRoundPage";

afterEach(closeTestPage);

test("who begins without a PRM comes to the form of a plain round, and its address says so", async () => {
  const { address } = openTestPage({
    page: <NewRoundPage />,
    at: "/projects/demo/rounds/new?kind=convincing",
    path: "/projects/:slug/rounds/new",
    answers: {
      "/api/projects/demo": { slug: "demo", name: "Demo", counts: { traces: 1200 }, protocol: "first_error" },
      "/api/projects/demo/prms": { results: [] },
      "/api/projects/demo/training_runs/options": { rounds: [], bases: [] },
    },
  });
  const ways = await screen.findByRole("region", { name: "Ways to a PRM" });
  expect(within(ways).getByText("1,200 traces to draw from.")).toBeTruthy();
  expect(screen.queryByRole("radio", { name: /^A random sample/ })).toBeNull();
  await userEvent.click(within(ways).getByRole("button", { name: "Plain round" }));
  expect(screen.getByRole<HTMLInputElement>("radio", { name: /^Plain/ }).checked).toBe(true);
  expect(screen.queryByRole("region", { name: "Ways to a PRM" })).toBeNull();
  expect(screen.getByRole("radio", { name: /^A random sample/ })).toBeTruthy();
  expect(address()).toBe("/projects/demo/rounds/new");
});
