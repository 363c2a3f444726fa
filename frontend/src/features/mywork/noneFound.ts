/** What the diary says where no label fits its filters. Pure. */

interface Asked {
  search: string;
  result: string;
  hasty: string;
}

/** `floorMs`: the milliseconds a step under which a label is hasty; undefined while it is not known. */
export function noneFound({ search, result, hasty }: Asked, floorMs: number | undefined) {
  const why: string[] = [];
  if (search) why.push("Search looks for these words in the problem, as they stand there.");
  if (hasty) why.push(hastyMeans(floorMs));
  if (hasty && result === "unfinished") why.push("What is not finished is never hasty.");
  const title = hasty && !search && !result ? "None of your labels is hasty" : "None of your labels is like that";
  return { title, why };
}

function hastyMeans(floorMs: number | undefined): string {
  const less = floorMs === undefined ? "less time than anybody needs to read it" : `less than ${floorMs / 1_000} s`;
  return `Hasty labels are those submitted in ${less} for each step rated.`;
}
