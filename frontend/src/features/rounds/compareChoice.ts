import type { ReportedRound } from "@/api/roundTypes";
import { roundName } from "./roundStatus";

export const MOST_COMPARED = 4;

/** Return the rounds that the address names, in the order of the list; without any, the newest two. */
export function chosenRounds(all: ReportedRound[], named: string): ReportedRound[] {
  if (named === "") return all.slice(0, 2);
  const ids = new Set(named.split(",").map(Number));
  return all.filter(({ round }) => ids.has(round.id)).slice(0, MOST_COMPARED);
}

/** Return the address after a round was added or removed; "0" if none is left. */
export function toggled(chosen: ReportedRound[], id: number): string {
  const ids = chosen.map(({ round }) => round.id);
  const after = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
  return after.length > 0 ? after.join(",") : "0";
}

/** Return the round that the others are measured against: the one the address names, otherwise the earliest of them. */
export function baseOf(chosen: ReportedRound[], named: string): ReportedRound | undefined {
  const [earliest] = [...chosen].sort((a, b) => a.round.number - b.round.number);
  return chosen.find(({ round }) => String(round.id) === named) ?? earliest;
}

const LONGEST = 24;

/** Return a column heading for each round: its name, if it is short enough and no other round has it too. */
export function columnNames(rounds: readonly Pick<ReportedRound["round"], "name" | "number">[]): string[] {
  const names = rounds.map(roundName);
  return rounds.map(({ number }, place) => {
    const name = names[place] ?? "";
    const told = name.length <= LONGEST && names.indexOf(name) === names.lastIndexOf(name);
    return told ? name : `Round ${number}`;
  });
}
