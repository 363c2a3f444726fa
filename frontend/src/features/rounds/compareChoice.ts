import type { ReportedRound } from "@/api/roundTypes";

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
