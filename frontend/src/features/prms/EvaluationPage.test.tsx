import { screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import type { Evaluation, EvaluationReport } from "@/api/trainingTypes";
import { EvaluationPage } from "./EvaluationPage";

afterEach(closeTestPage);

const SET = { id: 2, name: "PB gsm8k", traces: 221, problems: 207, erroneous: 108, grader_versions: ["grader/1"] };
const EVALUATION: Partial<Evaluation> = {
  id: 5,
  status: "running",
  prm: { id: 3, name: "T2" } as Evaluation["prm"],
  evaluation_set: SET as Evaluation["evaluation_set"],
  threshold: 0.5,
  best_of: 16,
  traces_total: 397,
  traces_done: 165,
  labels_used: 92,
  learned_from: "",
  origin_known: true,
  error: "",
  created_by: null,
  created_at: "2026-11-28T12:00:00Z",
  report: null,
};
const REPORT: Partial<EvaluationReport> = {
  unscored: {},
  figures: [],
  said_wrong: 4,
  beats_baseline: null,
  thresholds: null,
  reliability: [],
  groups: { subject: [], level: [], generator: [] },
  length: { correlation: null, bins: [] },
};

function open(about: Partial<Evaluation>) {
  openTestPage({
    page: <EvaluationPage />,
    at: "/projects/demo/evaluations/5",
    path: "/projects/:slug/evaluations/:evaluationId",
    answers: { "/api/evaluations/5": { ...EVALUATION, ...about } },
  });
}

test("an evaluation that runs says how many of its traces are not of the set", async () => {
  open({});
  expect(await screen.findByText("221 traces of 207 problems")).toBeTruthy();
  expect(
    screen.getByText(
      "165 of 397 traces scored. The figures follow. 176 of these traces are not in the set: they are for best of N.",
    ),
  ).toBeTruthy();
});

test("an evaluation of the set alone does not", async () => {
  open({ traces_total: 221 });
  expect(await screen.findByText("165 of 221 traces scored. The figures follow.")).toBeTruthy();
});

test("best of N says that its problems have at least so many traces", async () => {
  const best = { problems: 44, traces: 228, sizes: [1, 2, 4, 5], curves: {} };
  open({ status: "succeeded", report: { ...(REPORT as EvaluationReport), best_of_n: best } });
  expect(await screen.findByText(/44 problems, 228 graded traces; every problem has at least 5/)).toBeTruthy();
});
