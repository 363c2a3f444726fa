import { screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { LabelAuditCounts } from "@/api/labelAuditTypes";
import type { Prm } from "@/api/roundTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { NewLabelAudit } from "./NewLabelAudit";

afterEach(closeTestPage);

const WARNING = "Stepmark does not know which labels this machine learned from";

async function open(prm: Partial<Prm>, counts: Partial<LabelAuditCounts>) {
  const ready = { id: 3, name: "Demo PRM", kind: "prm", status: "ready", scale: "probability", target: "steps" };
  const none = { labels: 54, unscored: 0, learned: 0, learned_known: true, reviewed: 0, same_trace: 0, candidates: 54 };
  openTestPage({
    page: <NewLabelAudit slug="demo" />,
    answers: {
      "/api/projects/demo/prms": {
        results: [{ ...ready, scored: 54, run: null, labels_used: null, learned_from: "", ...prm }],
      },
      "/api/projects/demo/sources": { results: [] },
      "/api/projects/demo/rounds": { results: [], next: null },
      "/api/projects/demo/label_audits/preview": { ...none, ...counts },
    },
  });
  expect((await screen.findByRole("status")).textContent).toBeDefined();
  await screen.findByText(/of 54 labels can be chosen/);
}

test("of a PRM of unknown origin the form of a label audit warns that it may have learned from these labels", async () => {
  await open({}, { learned_known: false });
  expect(screen.getByText("what it learned from is unknown")).toBeTruthy();
  expect(screen.getByText(WARNING)).toBeTruthy();
  expect(screen.getByText(/finds less noise than there is/)).toBeTruthy();
});

test("of a PRM that was trained here it says on how many labels, and how many are left out for it", async () => {
  await open({ run: 5, labels_used: 33 }, { learned: 33, candidates: 21 });
  expect(screen.getByText("learned from 33 labels of this project")).toBeTruthy();
  expect(screen.getByText(/21 of 54 labels can be chosen; it learned from the traces of 33/)).toBeTruthy();
  expect(screen.queryByText(WARNING)).toBeNull();
});

test("where a machine judges none of the labels the way to others is shown", async () => {
  await open({}, { unscored: 54, candidates: 0 });
  expect(screen.getByRole("link", { name: "Machine labels" }).getAttribute("href")).toBe("/projects/demo/sources");
  expect(screen.getByRole("button", { name: "Choose labels" })).toHaveProperty("disabled", true);
});
