import { expect, test } from "vitest";
import { designOf, overlapFault, overlapWords, withAdapting } from "./OverlapFields";

test("turning it on fills in something that works, whatever was typed, and off makes it fixed again", () => {
  for (const base of ["", 1, 2, 3, 5, 19, 20] as const) {
    const on = withAdapting({ base, most: 0, needed: 0 }, true);
    expect(overlapFault(on)).toBeNull();
    expect(withAdapting(on, false)).toMatchObject({ most: 0, needed: 0 });
  }
  for (const base of ["", 1, 2] as const) {
    expect(designOf(withAdapting({ base, most: 0, needed: 0 }, true))).toBe("fewest");
  }
  expect(designOf(withAdapting({ base: 3, most: 0, needed: 0 }, true))).toBe("processbench");
  expect(designOf({ base: 3, most: 5, needed: 2 })).toBe("");
});

test("says which number does not fit", () => {
  expect(overlapFault({ base: "", most: 0, needed: 0 })).toContain("Labels per task");
  expect(overlapFault({ base: 4, most: 3, needed: 2 })).toContain("At most");
  expect(overlapFault({ base: 2, most: 3, needed: 4 })).toContain("Must agree");
  expect(overlapFault({ base: 2, most: "", needed: 2 })).toContain("at most");
});

test("reads as a sentence", () => {
  expect(overlapWords(2, 0, 0)).toBe("2");
  expect(overlapWords(3, 5, 3)).toBe("3, then up to 5 until 3 agree");
});
