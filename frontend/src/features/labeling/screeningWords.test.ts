import { expect, test } from "vitest";
import type { Screening } from "@/api/qualityTypes";
import { chanceWords, headingOf } from "./ScreeningFeedback";

test.each([
  [true, 1, [1], "Accepted"],
  [false, 2, [1], "Not accepted: the first error is one step earlier"],
  [false, 0, [2, 3], "Not accepted: the first error is 2 steps later"],
  [false, 2, [-1], "Not accepted: there is no error"],
  [false, -1, [2], "Not accepted: there is an error"],
  [false, null, [2], "Not accepted: the first error can be found"],
])("an answer that is accepted (%s), %s for %s: %s", (passed, verdict, acceptable, words) => {
  expect(headingOf(passed, verdict, acceptable)).toBe(words);
});

test.each([
  [[true, false], "To pass, each of the next 2 must be accepted."],
  [[true], "To pass, 2 of the next 3 must be accepted."],
  [[true, true, false], "To pass, the last task must be accepted."],
  [[false, false], "This try can no longer be passed; the rest is practice."],
  [[true, true, true], "You have already passed; the rest is practice."],
])("after %s of four, of which three are needed: %s", (results, words) => {
  const screening = { of: 4, needed: 3, passed: null, done: results.length, results } as unknown as Screening;
  expect(chanceWords(screening)).toBe(words);
});
