import haste from "@cases/haste_cases.json";
import { describe, expect, it } from "vitest";
import type { MyProgress, Submission } from "@/api/types";
import { HASTY_MS_A_STEP, hasteWords, isHasty, unsentIn, unsentOf, withOwn } from "./ownProgress";

const before: MyProgress = {
  submitted_today: 4,
  active_ms_today: 60_000,
  round: { number: 1, name: "", done: 9, total: 10 },
  floor_ms: 2_000,
};
const submission = {
  ratings: [1, 1],
  spans: [{ step: 0, start: 0, end: 5_000 }],
} as unknown as Submission;

const own = { round: 1, surplus: false };

describe("the header's figures", () => {
  it("count a submission and its active time", () => {
    expect(withOwn(before, submission, own)).toEqual({
      submitted_today: 5,
      active_ms_today: 65_000,
      round: { number: 1, name: "", done: 10, total: 10 },
      floor_ms: 2_000,
    });
  });

  it("do not move the round for a label whose slot had been given away", () => {
    expect(withOwn(before, submission, { ...own, surplus: true }).round?.done).toBe(9);
  });

  it("do not move the round for a label of another one", () => {
    expect(withOwn(before, submission, { ...own, round: -1 }).submitted_today).toBe(4); // of a screening
    expect(withOwn(before, submission, { ...own, round: 2 })).toMatchObject({ submitted_today: 5, round: { done: 9 } });
  });

  it("count what waits to be sent for its own round alone", () => {
    const unsent = unsentOf([{ round: 1, submission }, { round: 2, submission }, { submission }]);
    expect([unsentIn(unsent, 1), unsentIn(unsent, 2), unsent.activeMs]).toEqual([2, 2, 15_000]);
  });

  it("never show more labels than the round wants", () => {
    const twice = withOwn(withOwn(before, submission, own), submission, own);
    expect(twice.round?.done).toBe(10);
  });

  it("stand without a round", () => {
    expect(withOwn({ ...before, round: null }, submission, own).round).toBeNull();
  });
});

it("a submission that nobody can have read for is asked about, calmly and with its own time", () => {
  const said = (ms: number, ratings: (1 | 0 | -1 | null)[], carried: unknown[] = []) =>
    hasteWords({ ratings, carried, spans: ms > 0 ? [{ step: 0, start: 0, end: ms }] : [] } as unknown as Submission);
  expect(said(3_000, [1, 1, 1])).toBe("Submitted. 1 s a step; is this right?");
  expect(said(5_900, [1, 1, 1])).toBe("Submitted. 1.9 s a step; is this right?");
  expect(said(600, [1, 1, 1])).toBe("Submitted. Under 1 s a step; is this right?");
  expect(said(9_000, [1, 1, 1])).toBe("");
  expect(
    said(
      2_500,
      [1, 1, 1],
      [
        { step: 0, completion: null },
        { step: 1, completion: null },
      ],
    ),
  ).toBe("");
  expect(said(0, [null, null])).toBe("");
});

it("a submission is asked about by the floor that the server has learned", () => {
  const submitted = { ratings: [1, 1], spans: [{ step: 0, start: 0, end: 8_000 }] } as unknown as Submission;
  expect(hasteWords(submitted)).toBe("");
  expect(hasteWords(submitted, 4_500)).toBe("Submitted. 4 s a step; is this right?");
});

it("the floor is the server's", () => {
  expect(HASTY_MS_A_STEP).toBe(haste.floor_ms);
  expect(haste.cases.map(({ active_ms, steps, floor_ms }) => isHasty(active_ms, steps, floor_ms))).toEqual(
    haste.cases.map(({ hasty }) => hasty),
  );
});
