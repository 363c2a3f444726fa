import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { GradingPage } from "./GradingPage";

afterEach(closeTestPage);

const GRADING = {
  ...{ id: 3, status: "succeeded", stage: "grading", scope: "all", answer_kind: "maths", grader_version: "2" },
  ...{ traces_total: 2, traces_done: 2, counts: { correct: 1, wrong: 0, ungraded: 1 }, differences: 0, kept: 0 },
  ...{ left_out: 0, can_apply: true, changed: 0, skipped: 0, error: "", created_at: "2026-11-22T10:00:00Z" },
  ...{ created_by: null, finished_at: null, applied_at: null, applied_by: null },
};
const GRADE = {
  ...{ trace_id: 41, outcome_before: "ungraded", outcome: "ungraded", kept: false, left_out: false },
  ...{ reason: "words_against_mathematics", rule: "recorded", answer: "a handful" },
  problem: { id: 5, external_id: "", text: "How many candies has she?", answer: "21", accepted_answers: [] },
};

function open(grading: typeof GRADING) {
  const list = { count: 1, next: null, previous: null, results: [GRADE] };
  const answers = { "/api/gradings/3": grading, "/api/gradings/3/differences": list };
  openTestPage({
    page: <GradingPage />,
    at: "/projects/demo/gradings/3",
    path: "/projects/:slug/gradings/:gradingId",
    answers,
  });
}

test("a grading lists what it could not grade, with the reason and a link to the trace", async () => {
  open(GRADING);
  const panel = await screen.findByRole("region", { name: "Still not graded" });
  expect(await within(panel).findByText("prose against mathematics")).toBeTruthy();
  const link = within(panel).getByRole("link", { name: /How many candies/ });
  expect(link.getAttribute("href")).toBe("/projects/demo/traces/41");
});

test("a grading that a later one discarded lists nothing", async () => {
  open({ ...GRADING, can_apply: false });
  expect(await screen.findByText("How it was made")).toBeTruthy();
  expect(screen.queryByText("Still not graded")).toBeNull();
});
