import { expect, it } from "vitest";
import { timedWords, timedWordsOf } from "./timedWords";

it("says of how many labels a time speaks, where it is not all", () => {
  expect(timedWords(9, 9)).toBe("");
  expect(timedWords(0, 0)).toBe("");
  expect(timedWords(8, 9)).toBe("of 8 of 9 labels: the other came without a time");
  expect(timedWordsOf({ timed_labels: 160, untimed_labels: 12 })).toBe(
    "of 160 of 172 labels: the others came without a time",
  );
  expect(timedWordsOf({ timed_labels: 0, untimed_labels: 12 })).toBe("no label came with its time");
  expect(timedWordsOf({ timed_labels: null, untimed_labels: null })).toBe("");
});
