/** Where a symbol stands: a step from 0, or the problem. */
export const IN_PROBLEM = -1;

export interface Place {
  where: number;
  ranges: Range[];
}

/** A symbol that is followed through problem and steps. */
export interface SymbolTrace {
  key: string;
  tex: string | null;
  places: readonly Place[];
  /** The place in hand: an index of `places`. */
  here: number;
}

/** What may hold places of a symbol; the attribute's value is where. */
export const PLACE = "[data-traced]";

/** "35 places, first in the problem, then in 19 steps. Place 31: step 26." */
export function traceWords({ places, here }: SymbolTrace): string {
  const [first] = places;
  if (!first) return "not on this page any more";
  const steps = new Set(places.filter(({ where }) => where !== IN_PROBLEM).map(({ where }) => where)).size;
  const then = first.where === IN_PROBLEM ? steps : steps - 1;
  const count = places.length === 1 ? "1 place" : `${places.length} places`;
  const rest =
    then > 0 ? `, then in ${then} ${first.where === IN_PROBLEM ? "" : "other "}${then === 1 ? "step" : "steps"}` : "";
  return `${count}, first in ${nameOf(first.where)}${rest}. Place ${here + 1}: ${nameOf(places[here]?.where ?? 0)}.`;
}

function nameOf(where: number): string {
  return where === IN_PROBLEM ? "the problem" : `step ${where + 1}`;
}
