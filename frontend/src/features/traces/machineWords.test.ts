import { expect, test } from "vitest";
import { firstErrorWords } from "./machineWords";

const source = (kind: string) => ({ id: 1, name: "it", kind }) as never;
const mark = (kind: string, steps: (number | null)[], first_error: number | null, why = "") =>
  firstErrorWords({ source: source(kind), steps, first_error, why });

test("a first error of the checks says which steps before it could not be checked", () => {
  expect(mark("verifier", [1, null, 0], 2)).toBe("the first error is step 3; step 2 could not be checked");
  expect(mark("verifier", [null, 1, null, null, 0], 4)).toBe(
    "the first error is step 5; steps 1, 3 and 4 could not be checked",
  );
  expect(mark("verifier", [1, 0, null], 1)).toBe("the first error is step 2");
});

test("a judge's first error is about the whole trace", () => {
  expect(mark("judge", [null, null, 0], 2)).toBe("the first error is step 3");
  expect(mark("judge", [], -1)).toBe("no error");
  expect(mark("verifier", [1], null, "nothing_false")).toMatch(/^no statement about the first error/);
});
