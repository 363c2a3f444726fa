import { countOf } from "@/ui/format";

/** The `where` of a place in the problem. Elsewhere it is the step, counted from 0. */
export const IN_PROBLEM = -1;

export interface Place {
  where: number;
  ranges: Range[];
}

/** A symbol that is followed through the problem and the steps. */
export interface SymbolTrace {
  key: string;
  tex: string | null;
  places: readonly Place[];
  /** The place in hand, as an index of `places`. */
  here: number;
}

/** Elements that may contain places of a symbol. The attribute's value says where they are. */
export const PLACE = "[data-traced]";

/**
 * "35 places, first in the problem, then in 19 steps. Place 31: step 26." `pathLength`: on the page of a path, where
 * its steps end and the completions begin.
 */
export function traceWords({ places, here }: SymbolTrace, pathLength?: number): string {
  const nameOf = (where: number) => placeName(where, pathLength);
  const unit = pathLength === undefined ? "step" : "text";
  const [first] = places;
  if (!first) return "no longer on this page";
  const steps = new Set(places.filter(({ where }) => where !== IN_PROBLEM).map(({ where }) => where)).size;
  const then = first.where === IN_PROBLEM ? steps : steps - 1;
  const count = countOf(places.length, "place");
  const rest = then > 0 ? `, then in ${countOf(then, (first.where === IN_PROBLEM ? "" : "other ") + unit)}` : "";
  return `${count}, first in ${nameOf(first.where)}${rest}. Place ${here + 1}: ${nameOf(places[here]?.where ?? 0)}.`;
}

/** "the problem" or "step 3"; in a path of `pathLength` steps, also "completion 2". */
export function placeName(where: number, pathLength = Number.POSITIVE_INFINITY): string {
  if (where === IN_PROBLEM) return "the problem";
  return where < pathLength ? `step ${where + 1}` : `completion ${where - pathLength + 1}`;
}
