import type { ReportedRound } from "@/api/roundTypes";
import { roundName } from "./roundStatus";

export const MOST_COMPARED = 4;

/** The rounds the address names, in the order of the list; the newest two where it names none. */
export function chosenRounds(all: ReportedRound[], named: string): ReportedRound[] {
  if (named === "") return all.slice(0, 2);
  const ids = new Set(named.split(",").map(Number));
  return all.filter(({ round }) => ids.has(round.id)).slice(0, MOST_COMPARED);
}

/** The address after a round was chosen, or put away; "0" where none is left. */
export function toggled(chosen: ReportedRound[], id: number): string {
  const ids = chosen.map(({ round }) => round.id);
  const after = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
  return after.length > 0 ? after.join(",") : "0";
}

/** The round that the others are measured against: the one the address names, else the earliest of them. */
export function baseOf(chosen: ReportedRound[], named: string): ReportedRound | undefined {
  const [earliest] = [...chosen].sort((a, b) => a.round.number - b.round.number);
  return chosen.find(({ round }) => String(round.id) === named) ?? earliest;
}

const LONGEST = 24;

/** What heads a column each: their names, where there is room and no other is called so too. */
export function columnNames(rounds: readonly Pick<ReportedRound["round"], "name" | "number">[]): string[] {
  const names = rounds.map(roundName);
  return rounds.map(({ number }, place) => {
    const name = names[place] ?? "";
    const told = name.length <= LONGEST && names.indexOf(name) === names.lastIndexOf(name);
    return told ? name : `Round ${number}`;
  });
}
