import { describe, expect, test } from "vitest";
import { emptyRuling, rateStep, rulingLacks, sentRuling, startFrom } from "./ruling";
import { cutPlaces, cutStep, joinStep } from "./splitting";

describe("a ruling", () => {
  test("is complete up to its first error, and rates nothing after it", () => {
    let draft = startFrom(emptyRuling(4), [1, 0, 1, 1]);
    expect(sentRuling(draft)).toMatchObject({ finish_reason: "solution", ratings: [1, 0, 1, 1] });
    draft = rateStep(draft, 2, -1);
    expect(sentRuling(draft)).toMatchObject({ finish_reason: "found_error", ratings: [1, 0, -1, null] });
  });

  test("is not sent while a step before the error is unrated, and says which", () => {
    const draft = rateStep(rateStep(emptyRuling(3), 0, 1), 2, -1);
    expect(rulingLacks(draft)).toBe("Rate step 2.");
    expect(sentRuling(draft)).toBeNull();
  });

  test("begins with the steps, or with a label where one is shown", () => {
    expect(rulingLacks(emptyRuling(2))).toBe("Rate the steps up to the first error, or start from a label.");
    expect(rulingLacks(emptyRuling(2), true)).toBe("Rate the steps up to the first error.");
  });

  test("of a bad problem needs to say what is wrong with it, and rates nothing", () => {
    const draft = { ...emptyRuling(2), bad: true, badKind: "vague" };
    expect(sentRuling(draft)).toBeNull();
    expect(sentRuling({ ...draft, badText: " Which one? " })).toMatchObject({
      finish_reason: "bad_problem",
      finish_detail: { kind: "vague", text: "Which one?" },
      ratings: [null, null],
    });
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
    expect(cutPlaces("First, $a = 1. 5$. Then \\(x: y\\) holds.\nDone.").map(({ part }) => part)).toEqual([
      "First, $a = 1. 5$.",
      "Then \\(x: y\\) holds.",
      "Done.",
    ]);
  });
});
