import { expect, test } from "vitest";
import { progressWords, roundShares } from "./roundProgress";

const round = {
  overlap: 2,
  imported: false,
  status: "labeling",
  counts: { tasks: 50, submitted: 30, open: 4, labels_wanted: 66 },
};

test("a round's places are its tasks times its overlap, whatever is still wanted", () => {
  expect(roundShares(round).map((share) => share.count)).toEqual([30, 4, 66]);
  expect(progressWords(round)).toBe("30 of 100 labels (30 %)");
});

test("a task that got more labels than it wanted leaves no negative rest", () => {
  const full = { ...round, counts: { tasks: 1, submitted: 3, open: 0, labels_wanted: 0 } };
  expect(roundShares(full).at(-1)?.count).toBe(0);
});

test("where labelers who differed brought in others, the round has grown", () => {
  const grown = { ...round, counts: { tasks: 10, submitted: 19, open: 1, labels_wanted: 3 } };
  expect(progressWords(grown)).toBe("19 of 23 labels (83 %)");
});

test("an imported round is as large as what came with the file", () => {
  expect(progressWords({ ...round, imported: true })).toBe("30 labels");
  expect(roundShares({ ...round, imported: true }).at(-1)?.count).toBe(0);
});
