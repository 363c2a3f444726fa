import { expect, test } from "vitest";
import { agreement, numbersOf, stepsOf } from "./tryWords";

test("steps are what an empty line stands between, numbers what a card prints", () => {
  expect(stepsOf("One.\nStill one.\r\n \r\nTwo.\n\n\n")).toEqual(["One.\nStill one.", "Two."]);
  expect(numbersOf("[[1.0, 0.19, 0.98]]")).toEqual([1, 0.19, 0.98]);
  expect(numbersOf("0.5\n1")).toEqual([0.5, 1]);
  expect(numbersOf("0.5, high")).toBeNull();
  expect(numbersOf(" ")).toEqual([]);
});

test("numbers that turn a verdict are told apart from those that only differ a little", () => {
  const of = (scores: number[], expected: number[] | null, scale: "probability" | "log_ratio" = "probability") =>
    agreement({ scores, expected, scale });
  expect(of([1, 0.15], [1, 0.19])?.tone).toBe("good");
  expect(of([1, 0.15], [1, 0.19])?.says).toContain("at most 0.04 apart");
  expect(of([1, 0.191], [1, 0.19])?.title).toBe("Its scores match its card");
  expect(of([1, 0.7], [1, 0.19])).toMatchObject({ tone: "bad", says: expect.stringContaining("Step 2 is") });
  expect(of([0.4, 0.6], [0.6, 0.4])?.says).toContain("Steps 1, 2 are");
  expect(of([0.4], [0.6], "log_ratio")?.tone).toBe("good");
  expect(of([1, 0.4], [1, 0.01])).toMatchObject({ tone: "warn", says: expect.stringContaining("at most 0.39 apart") });
  expect(of([1], null)).toBeNull();
});
