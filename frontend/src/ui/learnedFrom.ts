import { countOf } from "./format";

interface Provenance {
  /** The training run in this project that made it. */
  run: number | null;
  labels_used: number | null;
  learned_from: string;
}

/** What a PRM was trained on, as far as it was stated. */
export function learnedFrom({ run, labels_used, learned_from }: Provenance): string {
  if (run !== null) return `${countOf(labels_used ?? 0, "label")} of this project`;
  return learned_from || "unknown";
}

/** Could it have learned from anything, even from the traces and labels it is used on? */
function isOfUnknownOrigin({ run, learned_from }: Provenance): boolean {
  return run === null && learned_from === "";
}

/** The same for a line with several facts. */
export function originWords(prm: Provenance): string {
  return isOfUnknownOrigin(prm) ? "what it learned from is unknown" : `learned from ${learnedFrom(prm)}`;
}
