/** The splits of a project's problems, as pages call them. */
export const SPLIT_WORDS = { train: "train", held_out: "held out" } as const;

export type Split = keyof typeof SPLIT_WORDS;

/** Of a field that asks for one; `all` is what it is called where none is asked for. */
export function splitChoices(all: string): { value: Split | ""; label: string }[] {
  const splits = Object.entries(SPLIT_WORDS) as [Split, string][];
  return [{ value: "", label: all }, ...splits.map(([value, label]) => ({ value, label }))];
}
