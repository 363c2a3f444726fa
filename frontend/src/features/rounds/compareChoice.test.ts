import { expect, test } from "vitest";
import type { ReportedRound } from "@/api/roundTypes";
import { chosenRounds, toggled } from "./compareChoice";

const rounds = [9, 7, 5, 3, 1].map((id) => ({ round: { id } }) as ReportedRound);
const ids = (chosen: ReportedRound[]) => chosen.map(({ round }) => round.id);

test("without a choice the newest two are compared", () => {
  expect(ids(chosenRounds(rounds, ""))).toEqual([9, 7]);
});

test("the address chooses, four at most; rounds it does not know are passed over", () => {
  expect(ids(chosenRounds(rounds, "3,9,77"))).toEqual([9, 3]);
  expect(ids(chosenRounds(rounds, "9,7,5,3,1"))).toEqual([9, 7, 5, 3]);
});

test("a round is chosen and put away again, down to none", () => {
  expect(toggled(chosenRounds(rounds, "9"), 5)).toBe("9,5");
  expect(toggled(chosenRounds(rounds, "9,5"), 5)).toBe("9");
  expect(chosenRounds(rounds, toggled(chosenRounds(rounds, "9"), 9))).toEqual([]);
});
