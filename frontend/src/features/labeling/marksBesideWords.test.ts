import { expect, test } from "vitest";
import { saysAbove, saysOfStep } from "./marksBesideWords";

const source = { id: 1, name: "Judge", kind: "judge" as const };

test("the line above the steps says what the machine sees, and that it may be wrong", () => {
  expect(saysAbove({ source, first_error: 2, why: "" })).toBe(
    "“Judge”, a machine, sees the first error in step 3. It may be wrong: rate what you see yourself.",
  );
  expect(saysAbove({ source, first_error: -1, why: "" })).toContain("sees no error");
  expect(saysAbove({ source, first_error: null, why: "nothing_false" })).toContain(
    "(no recomputed value is false; this does not mean that all is right)",
  );
});

test("a step has the machine's words about it, and nothing where it says nothing", () => {
  const mark = { source, first_error: 1, words: [[], ["12 x 7 = 86 does not hold (84)"], ["17 is new"]] };
  expect(saysOfStep(mark, 0)).toBeNull();
  expect(saysOfStep(mark, 1)).toBe("Judge: the first error; 12 x 7 = 86 does not hold (84)");
  expect(saysOfStep(mark, 2)).toBe("Judge: 17 is new");
});
