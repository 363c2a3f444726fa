import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Round } from "@/api/projectTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { RoundReportView } from "./RoundReportView";

afterEach(closeTestPage);

const none = { n: 0, of: 0, share: null };
const REPORT = {
  round: { id: 1, overlap: 1 },
  tasks: { sample: 40 },
  labels: { submitted: 0, surplus: 0 },
  finished: {},
  yield: {},
  false_alarms: none,
  prm_misses: none,
  median_score: { selected: null, pool: null, control: null },
  localisation: { n: 0, exact: null, within_1: null, mean_distance: null, no_low_step: 0 },
  dropped: {},
  shortfall: 0,
  give_up_rate: null,
  bad_problem_rate: null,
  intervals: {},
  active_minutes_per_error: null,
  time: null,
  label_mix: {},
  by_day: [],
};

test("a round that was just opened shows neither figures that nobody knows yet nor empty charts", async () => {
  const round = { id: 1, status: "active", staged: false } as unknown as Round;
  openTestPage({ page: <RoundReportView slug="demo" round={round} />, answers: { "/api/rounds/1/report": REPORT } });
  const panel = await screen.findByRole("region", { name: "What it is worth so far" });
  expect(within(panel).getByText("Labels")).toBeTruthy();
  expect(screen.queryAllByText("n/a")).toEqual([]);
  expect(screen.queryAllByRole("figure")).toEqual([]);
});
