import { describe, expect, it } from "vitest";
import type { MyProgress, Submission } from "@/api/types";
import { withOwn } from "./ownProgress";

const before: MyProgress = {
  submitted_today: 4,
  active_ms_today: 60_000,
  round: { number: 1, name: "", done: 9, total: 10 },
};
const submission = {
  ratings: [1, 1],
  spans: [{ step: 0, start: 0, end: 5_000 }],
} as unknown as Submission;

describe("the header's figures", () => {
  it("count a submission and its active time", () => {
    expect(withOwn(before, submission, false)).toEqual({
      submitted_today: 5,
      active_ms_today: 65_000,
      round: { number: 1, name: "", done: 10, total: 10 },
    });
  });

  it("do not move the round for a label whose slot had been given away", () => {
    expect(withOwn(before, submission, true).round?.done).toBe(9);
  });

  it("never show more labels than the round wants", () => {
    const twice = withOwn(withOwn(before, submission, false), submission, false);
    expect(twice.round?.done).toBe(10);
  });

  it("stand without a round", () => {
    expect(withOwn({ ...before, round: null }, submission, false).round).toBeNull();
  });
});
