import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Round } from "@/api/projectTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { PathFigures } from "./PathFigures";
import { RoundReportView } from "./RoundReportView";
import { RoundTrust } from "./RoundTrust";
import { testReport } from "./testReport";

afterEach(closeTestPage);

const REPORT = testReport({ labels: { submitted: 0, surplus: 0 } });

test("a round that was just opened shows neither figures that nobody knows yet nor empty charts", async () => {
  const round = { id: 1, status: "active", staged: false, config: {} } as unknown as Round;
  openTestPage({ page: <RoundReportView slug="demo" round={round} />, answers: { "/api/rounds/1/report": REPORT } });
  const panel = await screen.findByRole("region", { name: "What it is worth so far" });
  expect(within(panel).getByText("Labels")).toBeTruthy();
  expect(screen.queryAllByText("n/a")).toEqual([]);
  expect(screen.queryAllByRole("figure")).toEqual([]);
});

test("the report of a round of paths has nothing about errors in whole traces, and counts the rated completions", async () => {
  const estimate = { value: 0, low: null, high: null, n: 7, clusters: null, no_interval: null };
  const names = ["errors_found", "yield", "agreement", "read_twice", "hasty", "gold"];
  const figures = {
    figures: names.map((name) => ({ name, estimate })),
    trust: ["gold", "agreement", "hasty"].map((name) => ({ name, word: "good", limit: 0.8, share: estimate })),
    worth: { run: null, labels: null, random_labels: null, worth: null, at_least: null, because: "not_trained" },
    as_of: "2026-11-28T10:24:00Z",
  };
  const paths = {
    ...{ labels: 7, finish_reasons: { solution: 7 }, outcomes: { correct: 5, wrong: 1, ungraded: 1 }, steps: 19 },
    ...{ offered_alone: 9, drawn_of_several: 1, written: 3, taken_back: 0, alpha: estimate },
    ...{ completions_rated: 26, ratings: { "-1": 4, "0": 3, "1": 19 } },
    ...{ gold: { paths: 0, told: 0, passed: estimate }, answers: { agreed: 0, asking: 0, no_consensus: 0 } },
  };
  const report = testReport({ labels: { submitted: 7, surplus: 0 }, label_mix: { "1": 19 }, tasks: { path: 8 } });
  const round = {
    ...{ id: 1, status: "active", staged: false, config: { source: "problems" }, counts: { submitted: 7 } },
    overlap: 1,
  } as unknown as Round;
  const answers = {
    "/api/rounds/1/report": report,
    "/api/rounds/1/figures": figures,
    "/api/rounds/1/paths": paths,
  };
  const page = (
    <>
      <RoundTrust slug="demo" round={round} />
      <RoundReportView slug="demo" round={round} />
      <PathFigures round={round} />
    </>
  );
  openTestPage({ page, answers });
  expect(await screen.findByText("Labelers finished 7 paths.")).toBeTruthy();
  expect(await screen.findByText("26: 19 rated +1, 3 rated 0, 4 rated −1")).toBeTruthy();
  expect(await screen.findByText("How tasks ended")).toBeTruthy();
  expect(screen.getByText("All rules are met.")).toBeTruthy();
  expect(document.body.textContent).not.toMatch(
    /found an error|cannot be judged|Yield|choosing was worth|Step ratings|Short of the quota|Read twice|Agreement(?! about)/,
  );
});
