import { describe, expect, test } from "vitest";
import { emptyContent, newDraft } from "./draft";
import { FIRST_ERROR } from "./firstError";
import {
  type Cursor,
  cursorTyped,
  pressWhileRealising,
  type Realised,
  ratingsTakenBack,
  startRealising,
} from "./realise";

/** Press keys in sequence, starting at step 50 (counted from 1); a held key is written with a star. */
function press(keys: string, from: Cursor = startRealising(49), choices = {}): Realised {
  let now: Realised = from;
  for (const key of keys.split(" ")) {
    if (typeof now === "string") throw new Error(`"${key}" comes after the end.`);
    now = pressWhileRealising(now, key.replace("*", ""), key.endsWith("*"), choices);
  }
  return now;
}

function stepAfter(keys: string, from?: Cursor, choices = {}): number {
  const cursor = press(keys, from, choices);
  if (typeof cursor === "string") throw new Error(`"${keys}" ended it: ${cursor}.`);
  return cursor.candidate + 1;
}

describe("I just realised", () => {
  test("it begins at the step before the one in hand", () => {
    expect(startRealising(49).candidate + 1).toBe(49);
  });
  test.each([
    ["k k k", 46],
    ["k k arrowdown", 48],
    ["j j j", 49],
    ["home", 1],
    ["home end", 49],
    ["pageup", 41],
    ["home pagedown", 9],
    ["k* k* k*", 46],
  ])("%s goes to step %i", (keys, step) => {
    expect(stepAfter(keys)).toBe(step);
  });
  test.each([
    ["3", 3],
    ["3 8", 38],
    ["3 8 backspace", 3],
    ["1 2 3", 3],
    ["4 9", 49],
    ["5 0", 5],
    ["9 9", 9],
    ["0", 49],
    ["3 k 8", 8],
    ["3 3*", 3],
  ])("typed, %s goes to step %i", (keys, step) => {
    expect(stepAfter(keys)).toBe(step);
  });
  test("a number that is no earlier step leaves the cursor where it is", () => {
    expect(stepAfter("7", startRealising(4))).toBe(4);
    expect(stepAfter("5", startRealising(4))).toBe(4);
    expect(cursorTyped(startRealising(4), "abc")).toEqual(startRealising(4));
  });
  test("Enter, -1 and Space take the step; Escape, r and z leave; none of them when it is held", () => {
    for (const key of ["enter", "x", "space"]) expect(press(key)).toBe("taken");
    for (const key of ["escape", "r", "z"]) expect(press(key)).toBe("left");
    for (const key of ["enter", "x", "escape", "z"]) expect(press(`${key}*`)).toEqual(startRealising(49));
  });
  test("the person's own keys hold", () => {
    const choices = { previous_step: "w", submit: "f" };
    expect(stepAfter("w w", undefined, choices)).toBe(47);
    expect(press("f", undefined, choices)).toBe("taken");
  });
  test("it says which ratings the choice takes back, and not those that the stop took", () => {
    const draft = newDraft(FIRST_ERROR, { ...emptyContent(6), ratings: [1, 1, 0, 1, null, null] }, 4);
    expect(ratingsTakenBack(draft, { noticedAt: 4, candidate: 1, typed: "" })).toEqual([2, 3]);
    expect(ratingsTakenBack(draft, { noticedAt: 4, candidate: 3, typed: "" })).toEqual([]);
  });
});
