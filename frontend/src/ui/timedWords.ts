/** Which labels a time covers: it is unknown how long labels took that programs sent without active time. Pure. */
import { countOf, formatCount } from "@/ui/format";

export const NONE_TIMED = "no label came with its time";

/** "of 8 of 9 labels: the other came without a time"; empty if all labels have a time. */
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

/** The same for a report; empty for one that was frozen before this was counted. */
export function timedWordsOf({ timed_labels, untimed_labels }: Timed): string {
  return timedWords(timed_labels ?? 0, (timed_labels ?? 0) + (untimed_labels ?? 0));
}
