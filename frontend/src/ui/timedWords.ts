/** Of which labels a time speaks: those that programs sent without active time took nobody knows how long. Pure. */
import { countOf, formatCount } from "@/ui/format";

export const NONE_TIMED = "no label came with its time";

/** "of 8 of 9 labels: the other came without a time"; nothing where it is all of them. */
export function timedWords(timed: number, labels: number): string {
  if (timed >= labels) return "";
  if (timed === 0) return NONE_TIMED;
  const others = labels - timed === 1 ? "the other" : "the others";
  return `of ${formatCount(timed)} of ${countOf(labels, "label")}: ${others} came without a time`;
}

interface Timed {
  timed_labels?: number | null;
  untimed_labels?: number | null;
}

/** The same of a report; nothing of one that was frozen before it was counted. */
export function timedWordsOf({ timed_labels, untimed_labels }: Timed): string {
  return timedWords(timed_labels ?? 0, (timed_labels ?? 0) + (untimed_labels ?? 0));
}
