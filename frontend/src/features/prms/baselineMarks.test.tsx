import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Prm } from "@/api/roundTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import type { ModelHistory } from "@/api/trainingTypes";
import { ModelsPage } from "./ModelsPage";
import { PrmsPage } from "./PrmsPage";

afterEach(closeTestPage);

const PRM: Partial<Prm> = { id: 1, name: "Fine", kind: "prm", status: "ready", target: "steps", selector: false };

test("a PRM that does not beat its baseline is marked in the list of PRMs, and as the selector", async () => {
  const marked = { ...PRM, id: 2, name: "Plain", selector: true, baseline_not_beaten: ["Bench", "Held back"] };
  openTestPage({
    page: <PrmsPage />,
    at: "/projects/demo/prms",
    path: "/projects/:slug/prms",
    answers: { "/api/projects/demo/prms": { results: [marked, { ...PRM, baseline_not_beaten: [] }] } },
  });
  const words = "baseline not beaten on Bench, Held back";
  const [, plain, fine] = within(await screen.findByRole("table", { name: /^PRMs/ })).getAllByRole("row");
  expect(plain?.textContent).toContain(words);
  expect(fine?.textContent).not.toContain("baseline");
  expect(screen.getByRole("region", { name: "The selector" }).textContent).toContain(words);
});

test("what does not beat its baseline is marked in the leaderboard, beside the selector's mark, and on the timeline", async () => {
  const row = {
    evaluation: 7,
    prm: { id: 2, name: "Plain" },
    labels: 92,
    selector: true,
    beats_baseline: false,
    never_wrong: false,
    origin_known: true,
    current: true,
    figures: [],
  };
  const beating = { ...row, evaluation: 8, prm: { id: 1, name: "Fine" }, selector: false, beats_baseline: true };
  const board = { set: { id: 3, name: "Bench", traces: 9, problems: 9, erroneous: 4 }, rows: [row, beating] };
  const at = { by: null, at: "2026-11-28T12:00:00Z", status: "succeeded", note: "" };
  const measured = { kind: "evaluated", set: "Bench", auc: null, ...at };
  const history = {
    events: [
      { kind: "promoted", id: 1, prm: null, beats_baseline: null, ...at },
      { ...measured, id: 7, prm: row.prm, beats_baseline: false },
      { ...measured, id: 8, prm: { id: 1, name: "Fine" }, beats_baseline: true },
    ],
  };
  openTestPage({
    page: <ModelsPage />,
    at: "/projects/demo/models",
    path: "/projects/:slug/models",
    answers: {
      "/api/projects/demo/model_history": {
        ...(history as unknown as ModelHistory),
        selector: row.prm,
        learning: null,
        leaderboards: [board],
      },
    },
  });
  const table = within(await screen.findByRole("table", { name: "Models measured on Bench" }));
  const [, plain, fine] = table.getAllByRole("row");
  expect(plain?.textContent).toMatch(/selector.*baseline not beaten/);
  expect(fine?.textContent).not.toContain("baseline");
  const events = within(screen.getByRole("region", { name: "Timeline" })).getAllByRole("listitem");
  expect(events.map((one) => one.textContent?.includes("baseline not beaten"))).toEqual([false, true, false]);
});
