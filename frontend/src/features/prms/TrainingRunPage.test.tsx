import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { TrainingRunPage } from "./TrainingRunPage";

afterEach(closeTestPage);

const TRIED = [
  { layer: 12, l2: 0.1, validation_auc: 0.71 },
  { layer: 8, l2: 0.1, validation_auc: 0.64 },
  { layer: 12, l2: 1, validation_auc: 0.78 },
];

/** Open a head's finished training, with an evaluation of the PRM it made. */
async function open(evaluation: { status: string; beats_baseline: boolean | null }) {
  const set = { id: 2, name: "ProcessBench" };
  const auc = { value: 0.7, low: 0.6, high: 0.8, n: 90, clusters: 40, no_interval: null };
  const run = {
    id: 1,
    name: "First head",
    status: "succeeded",
    stage: "done",
    base: "tiny",
    method: "head",
    target: "steps",
    rounds: [],
    switches: {},
    seed: 0,
    synthetic_errors: 0,
    layers: 0,
    dtype: "",
    labels: 45,
    prm: { id: 3, name: "First head", status: "ready" },
    figures: [],
    error: "",
    cancel_requested: false,
    created_by: null,
    at_close_of: null,
    created_at: "2026-11-27T10:00:00Z",
    started_at: "2026-11-27T10:00:01Z",
    finished_at: "2026-11-27T10:02:00Z",
    doing: null,
    points: TRIED.map((one, at) => ({ curve: "validation_auc", at, value: one.validation_auc })),
    log: [],
    data: {},
    sources: [],
    snapshot_id: "",
    learning_curve: null,
    report: { meta: { tried: TRIED, beats_baseline: false } },
  };
  openTestPage({
    page: <TrainingRunPage />,
    at: "/projects/demo/prms/runs/1",
    path: "/projects/:slug/prms/runs/:runId",
    answers: {
      "/api/training_runs/1": run,
      "/api/projects/demo/prms": { results: [{ id: 3, selector: false, status: "ready" }] },
      "/api/projects/demo/evaluations": {
        results: [{ id: 7, evaluation_set: set, auc, ...evaluation }],
        next: null,
      },
    },
  });
  await screen.findByRole("link", { name: "ProcessBench" });
  return screen.findByRole("button", { name: "Promote" });
}

const isPrimary = (button: HTMLElement) => /primary/.test(button.className);

test("to promote is what the page leads to only once an evaluation has beaten the baseline", async () => {
  expect(isPrimary(await open({ status: "succeeded", beats_baseline: true }))).toBe(true);
});

test.each([
  ["is still being evaluated", "running", null],
  ["does not beat the baseline", "succeeded", false],
  ["could not be evaluated", "failed", null],
] as const)("a PRM that %s can be promoted, and the page does not lead to it", async (_, status, beats_baseline) => {
  expect(isPrimary(await open({ status, beats_baseline }))).toBe(false);
});

test("what was tried for a head is a grid of layers and strengths, and no line joins it", async () => {
  await open({ status: "running", beats_baseline: null });
  const grid = within(screen.getByRole("region", { name: "Step AUC by layer and strength" }));
  expect(grid.getAllByRole("columnheader").map((head) => head.textContent)).toEqual(["0.1", "1"]);
  expect(grid.getAllByRole("rowheader").map((head) => head.textContent)).toEqual(["layer 8", "layer 12"]);
  expect(grid.getByTitle("Layer 12, strength 1: step AUC 0.780")).toBeTruthy();
  const figure = within(screen.getByRole("figure", { name: "Step AUC on validation problems" }));
  expect(figure.queryByRole("img")).toBeNull();
});
