import { fireEvent, renderHook } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import type { ReviewKind } from "@/api/reviewTypes";
import { FIRST_ERROR } from "@/protocol/firstError";
import type { LabelingProtocol } from "@/protocol/interface";
import { commandFor, useCommandKeys } from "@/protocol/keyMap";
import { type ReviewBench, reviewCommands } from "./reviewCommands";
import { decisionsSaid } from "./reviewWords";
import { emptyRuling, rateStep, rulingLacks, sentRuling, startFrom } from "./ruling";
import { cutPoints, cutStep, joinStep } from "./splitting";

describe("a ruling", () => {
  test("is complete up to its first error, and rates nothing after it", () => {
    let draft = startFrom(emptyRuling(FIRST_ERROR, 4), [1, 0, 1, 1]);
    expect(sentRuling(draft)).toMatchObject({ finish_reason: "solution", ratings: [1, 0, 1, 1] });
    draft = rateStep(draft, 2, -1);
    expect(sentRuling(draft)).toMatchObject({ finish_reason: "found_error", ratings: [1, 0, -1, null] });
  });

  test("is not sent while a step before the error is unrated, and says which", () => {
    const draft = rateStep(rateStep(emptyRuling(FIRST_ERROR, 3), 0, 1), 2, -1);
    expect(rulingLacks(draft)).toBe("Rate step 2.");
    expect(sentRuling(draft)).toBeNull();
  });

  test("begins with the steps, or with a label where one is shown", () => {
    expect(rulingLacks(emptyRuling(FIRST_ERROR, 2))).toBe(
      "Rate the steps up to the first error, or start from a label.",
    );
    expect(rulingLacks(emptyRuling(FIRST_ERROR, 2), true)).toBe("Rate the steps up to the first error.");
  });

  test("of a bad problem needs to say what is wrong with it, and rates nothing", () => {
    const draft = { ...emptyRuling(FIRST_ERROR, 2), bad: true, badKind: "vague" };
    expect(sentRuling(draft)).toBeNull();
    expect(sentRuling({ ...draft, badText: " Which one? " })).toMatchObject({
      finish_reason: "bad_problem",
      finish_detail: { kind: "vague", text: "Which one?" },
      ratings: [null, null],
    });
  });
});

describe("a ruling by another protocol", () => {
  const everyStep: LabelingProtocol = {
    ...FIRST_ERROR,
    name: "every_step_of_a_test",
    missing: (ratings) => (ratings.includes(null) ? [{ code: "unrated_step", step: ratings.indexOf(null) }] : []),
    ratableSteps: (ratings) => ratings.map((_, step) => step),
    words: { ...FIRST_ERROR.words, toRate: "every step" },
  };

  test("goes on after a −1, and is complete when the protocol says so", () => {
    const begun = startFrom(emptyRuling(everyStep, 3), [1, -1, 0]);
    expect(sentRuling(begun)).toMatchObject({ finish_reason: "found_error", ratings: [1, -1, 0] });
    expect(sentRuling(rateStep(begun, 2, -1))?.ratings).toEqual([1, -1, -1]);
    expect(rulingLacks(rateStep(begun, 2, null))).toBe("Rate step 3.");
    expect(rulingLacks(emptyRuling(everyStep, 3), true)).toBe("Rate every step.");
  });
});

describe("keys while reviewing", () => {
  const named = (key: string, choices: Record<string, string> = {}) => commandFor(reviewCommands, key, choices)?.name;

  test("are those of the labeling page, and two of their own", () => {
    const keys = reviewCommands.flatMap((command) => command.keys);
    expect(new Set(keys).size).toBe(keys.length);
    expect(["space", "0", "x", "j", "arrowup", "backspace", "enter", "z", "s"].map((key) => named(key))).toEqual([
      "rate_plus",
      "rate_zero",
      "rate_minus",
      "next_step",
      "previous_step",
      "clear_rating",
      "submit",
      "undo",
      "review_later",
    ]);
  });

  test("a remapped key rates here as it does on the labeling page, and the old one no longer does", () => {
    const rate = vi.fn();
    const choices = { rate_minus: "n" };
    const bench = { rate } as unknown as ReviewBench;
    const view = renderHook(() => useCommandKeys(reviewCommands, choices, bench));
    fireEvent.keyDown(document.body, { key: "x" });
    expect(rate).not.toHaveBeenCalled();
    fireEvent.keyDown(document.body, { key: "n" });
    expect(rate).toHaveBeenCalledExactlyOnceWith(-1);
    view.unmount();
    fireEvent.keyDown(document.body, { key: "n" });
    expect(rate).toHaveBeenCalledOnce();
  });
});

describe("moving the borders of steps", () => {
  const letters = (steps: string[]) => steps.join("").replace(/\s/g, "");

  test("cutting and joining never change a letter", () => {
    const steps = ["First, $a = 1. 5$. Then $b = 2$.", "So $a + b$\nis 3."];
    const cut = cutStep(steps, 0, steps[0]?.indexOf("Then") ?? 0);
    expect(cut).toEqual(["First, $a = 1. 5$.", "Then $b = 2$.", "So $a + b$\nis 3."]);
    expect(letters(joinStep(cut, 1))).toBe(letters(steps));
    expect(joinStep(steps, 0)).toBe(steps);
    expect(cutStep(steps, 0, 0)).toBe(steps);
  });

  test("offers no cut inside a formula", () => {
    expect(cutPoints("First, $a = 1. 5$. Then \\(x: y\\) holds.\nDone.").map(({ part }) => part)).toEqual([
      "First, $a = 1. 5$.",
      "Then \\(x: y\\) holds.",
      "Done.",
    ]);
  });
});

test("a ruling is told once and names no kind; another decision names its own", () => {
  const by = { id: 1, display_name: "Ada" };
  const at = "2026-01-01T00:00:00Z";
  const ruled = (kind: ReviewKind) => ({ kind, outcome: "settled" as const, by, at, reason: "Step 2." });
  const dismissed = { kind: "comment" as const, outcome: "dismissed" as const, by, at, reason: "Typo." };
  expect(decisionsSaid([ruled("disagreement"), ruled("bad_problem"), dismissed])).toEqual([
    "Settled by Ada. Step 2.",
    "Comment: dismissed by Ada. Typo.",
  ]);
});
