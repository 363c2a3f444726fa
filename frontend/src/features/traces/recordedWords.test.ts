import { expect, test } from "vitest";
import { differNote } from "./recordedWords";

const say = (...first: (number | null)[]) => differNote(first.map((first_error) => ({ first_error })));

test("those who say where a trace goes wrong agree or not; who says nothing counts in neither", () => {
  expect(say(2, 2, null)).toBe("Both name the same first error.");
  expect(say(2, -1, 2)).toBe("3 verdicts, 2 different ones.");
  expect(say(1, null)).toBe("");
});
