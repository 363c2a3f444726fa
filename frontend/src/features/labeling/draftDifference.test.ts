import { describe, expect, it } from "vitest";
import { emptyContent } from "@/protocol/draft";
import { differencesOf, excerpt } from "./draftDifference";
import { EMPTY_PATH } from "./pathDraft";

describe("two drafts of one label", () => {
  it("differ where something is said, and say it", () => {
    const mine = { ...emptyContent(3), ratings: [1, -1, null] as const, comments: { 1: "sign" } };
    const theirs = { ...emptyContent(3), ratings: [1, 1, 0] as const, noticedAtStep: 2 };
    expect(differencesOf(mine, theirs)).toEqual([
      { what: "Step 2", local: "−1", server: "+1" },
      { what: "Comment on step 2", local: "sign", server: "–" },
      { what: "Step 3", local: "–", server: "0" },
      { what: "Noticed at", local: "–", server: "step 3" },
    ]);
    expect(differencesOf(mine, mine)).toEqual([]);
  });

  it("of a path differ in what is said of the open step", () => {
    const step = { ...EMPTY_PATH.step, said: { 0: { rating: -1 as const, flagged: false } }, text: "I add." };
    expect(differencesOf({ ...EMPTY_PATH, step }, EMPTY_PATH)).toEqual([
      { what: "Completion 1", local: "−1", server: "–" },
      { what: "Your step", local: "I add.", server: "–" },
    ]);
  });

  it("show long texts where they begin to differ", () => {
    const same = "a".repeat(100);
    expect(excerpt(`${same}b`, `${same}c`)).toMatch(/^…a{59}b$/);
    expect(excerpt("short", "shore")).toBe("short");
  });
});
