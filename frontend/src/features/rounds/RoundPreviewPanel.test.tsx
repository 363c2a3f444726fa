import { expect, test } from "vitest";
import { heldOutWords } from "./RoundPreviewPanel";

test("what a round would ask for and nothing learns from is said before it is opened", () => {
  expect(heldOutWords({ traces: 3150, held_out: 2564 })).toBe(
    "2,564 are of held-out problems: their labels are for measuring only, and no training learns from them.",
  );
  expect(heldOutWords({ traces: 3, held_out: 3 })).toMatch(/^All are of held-out problems: /);
  expect(heldOutWords({ traces: 3, held_out: 1 })).toMatch(/^1 is of a held-out problem: its label is /);
});
