import { expect, test } from "vitest";
import type { Selection } from "@/api/roundTypes";
import { leftOut, selectionWarnings } from "./selectionWords";

const pool = { problems: 34, traces: 170, correct: 81, wrong: 85, ungraded: 4, unscored: 0, queued: 64 };
const summary = (parts: Partial<Selection>): Selection => ({
  chosen: { convincing_wrong: 49, control: 7 },
  dropped: { already_labeled_or_queued: 64, ungraded: 4 },
  shortfall: 19,
  fell_back_to_random: false,
  pool,
  histogram: null,
  per_problem: [],
  median: { selected: null, pool: null, control: null },
  seconds: 0.1,
  sample: [],
  ...parts,
});

test("what was chosen and what was left out make up the pool", () => {
  const out = leftOut(summary({}));
  expect(out.map(({ count }) => count)).toEqual([64, 46, 4]);
  expect(out[1]?.name).toBe("the rules asked for no more like it");
  expect(leftOut(summary({ chosen: { convincing_wrong: 102 } }))).toHaveLength(2);
  const said = leftOut(summary({ dropped: { already_labeled_or_queued: 64, ungraded: 4, passed_over: 46 } }));
  expect(said).toEqual(out);
});

test("a mix tells which of its ways came short, and why", () => {
  const rules = { k: 25, mix: { wavering: 0.1, disagreement: 0.2, unsure: 0, typical: 0.2, other: 7 } };
  const chosen = { convincing_wrong: 12, typical: 5, disagreement: 2 };
  const said = selectionWarnings(summary({ chosen, shortfall: 6 }), rules).join();
  expect(said).toContain("“wavering model” found 0 of 3 (only a stacked head measures how far its heads waver)");
  expect(said).toContain("“scorers disagree” found 2 of 5 (it needs traces that both models have scored)");
  expect(said).not.toContain("too few that fit the rules");
  expect(said).not.toContain("typical");
  expect(selectionWarnings(summary({ chosen, shortfall: 9 }), rules).join()).toContain(
    "for the other 3 the pool had too few traces that match the rules",
  );
});

test("empty places are told of", () => {
  expect(selectionWarnings(summary({})).join()).toContain("19 traces short of its quota");
  expect(selectionWarnings(summary({ shortfall: 0 }))).toEqual([]);
});
