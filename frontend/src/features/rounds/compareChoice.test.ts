import { expect, test } from "vitest";
import type { ReportedRound } from "@/api/roundTypes";
import { baseOf, chosenRounds, columnNames, toggled } from "./compareChoice";

const rounds = [9, 7, 5, 3, 1].map((id) => ({ round: { id, number: id } }) as ReportedRound);
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

test("the others are measured against the earliest, or against the one that the address names", () => {
  const chosen = chosenRounds(rounds, "9,5,3");
  expect(baseOf(chosen, "")?.round.id).toBe(3);
  expect(baseOf(chosen, "9")?.round.id).toBe(9);
  expect(baseOf(chosen, "7")?.round.id).toBe(3);
  expect(baseOf([], "9")).toBeUndefined();
});

test("a column is headed by its round's name, by the number where that is long or another's too", () => {
  const called = (...names: string[]) => columnNames(names.map((name, at) => ({ name, number: at + 1 })));
  expect(called("Pilot", "", "A name of quite some length, as people give them")).toEqual([
    "Pilot",
    "Round 2",
    "Round 3",
  ]);
  expect(called("Pilot", "Pilot", "Last")).toEqual(["Round 1", "Round 2", "Last"]);
});
