import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { LabelVerdicts } from "./LabelVerdicts";
import type { ShownLabel } from "./shownLabel";

const LABEL: ShownLabel = {
  id: 1,
  labeler: { id: 1, display_name: "Nora" },
  status: "submitted",
  finish_reason: "solution",
  finish_detail: {},
  submitted_at: null,
  active_ms: 0,
  total_ms: null,
  verdict: -1,
  noticed_at_step: null,
  surplus: true,
  ratings: [1],
  carried: [],
  step_active_ms: [],
  mistake: null,
  alternatives: [],
  comments: [],
  reports: [],
  confirmations: [],
  guideline_version: null,
  scores_revealed_at: null,
  edited_after_reveal: false,
};

test("a surplus label says why it is one", () => {
  const labels = (["round_closed", "slot_taken", null] as const).map((surplus_because, id) => ({
    ...LABEL,
    id,
    surplus: surplus_because !== null,
    surplus_because,
  }));
  render(<LabelVerdicts labels={labels} />);
  expect(screen.getByText("surplus: its round was closed before it came")).toBeTruthy();
  expect(screen.getByText("surplus: the task already had its labels, or its labeler was paused")).toBeTruthy();
  expect(screen.getAllByText(/surplus/)).toHaveLength(2);
});

test("a ruling that was replaced keeps its reason", () => {
  render(<LabelVerdicts labels={[{ ...LABEL, surplus: false, status: "superseded", note: "The unit is lost." }]} />);
  expect(screen.getByText("The unit is lost.")).toBeTruthy();
  expect(screen.getByText("replaced or withdrawn later")).toBeTruthy();
});
