/** What the diary says if no label matches its filters. Pure. */

interface Asked {
  search: string;
  result: string;
  hasty: string;
}

/** `floorMs`: a label that took fewer milliseconds per step is hasty; undefined while unknown. */
export function noneFound({ search, result, hasty }: Asked, floorMs: number | undefined) {
  const why: string[] = [];
  if (search) why.push("The search looks for exactly these words in the problem.");
  if (hasty) why.push(hastyMeans(floorMs));
  if (hasty && result === "unfinished") why.push("Unfinished labels are never hasty.");
  const title = hasty && !search && !result ? "None of your labels is hasty" : "No labels match";
  return { title, why };
}

function hastyMeans(floorMs: number | undefined): string {
  const less = floorMs === undefined ? "less time than reading takes" : `less than ${floorMs / 1_000} s`;
  return `Hasty labels are those submitted in ${less} for each step rated.`;
}
