import { expect, test } from "vitest";
import { apartWords } from "./scoresApart";

const scored = (steps: number[] | null, scale: "probability" | "log_ratio" = "probability") => ({ scale, steps });

test("models side by side say where they are farthest apart", () => {
  expect(apartWords([scored([0.9, 0.2, 0.4]), scored([0.8, 0.9, 0.5]), scored([0.9, 0.5, 0.4])])).toBe(
    "Farthest apart at step 2: 0.20 to 0.90.",
  );
});

test("rewards are not compared with probabilities, nor what is not there", () => {
  expect(apartWords([scored([0.9]), scored([3], "log_ratio")])).toContain("cannot compare");
  expect(apartWords([scored([0.9]), scored(null)])).toContain("cannot compare");
  expect(apartWords([scored([]), scored([])])).toContain("No step");
});
