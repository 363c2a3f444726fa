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

test("empty places are told of", () => {
  expect(selectionWarnings(summary({})).join()).toContain("19 traces short of its quota");
  expect(selectionWarnings(summary({ shortfall: 0 }))).toEqual([]);
});
