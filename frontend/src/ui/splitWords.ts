/** The names of the splits of a project's problems on pages. */
export const SPLIT_WORDS = { train: "train", held_out: "held out" } as const;

export type Split = keyof typeof SPLIT_WORDS;

/** The choices of a field for a split; `all` is the name for no choice. */
export function splitChoices(all: string): { value: Split | ""; label: string }[] {
  const splits = Object.entries(SPLIT_WORDS) as [Split, string][];
  return [{ value: "", label: all }, ...splits.map(([value, label]) => ({ value, label }))];
}
