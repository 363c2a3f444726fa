import type { Share } from "./charts/ShareBar";
import { countOf, formatCount, formatPercent } from "./format";

/** The parts of a round that its progress is computed from. */
interface RoundInProgress {
  overlap: number;
  imported: boolean;
  status: string;
  counts: { tasks: number; submitted: number; open: number; labels_wanted: number };
}

/**
 * The number of labels the round is for: each of its tasks has `overlap` slots, and more if labelers who disagreed
 * brought in others. For imported rounds, the number of labels imported.
 */
export function roundSlots({ overlap, imported, counts }: RoundInProgress): number {
  const asked = counts.submitted + counts.open + counts.labels_wanted;
  return imported ? counts.submitted : Math.max(counts.tasks * overlap, asked);
}

/**
 * The round's slots as shares: submitted, held (open with a labeler, or fetched ahead), waiting; in a closed round,
 * those that stayed empty.
 */
export function roundShares(round: RoundInProgress): Share[] {
  const { submitted, open } = round.counts;
  return [
    { name: "submitted", count: submitted, tone: "plus" },
    { name: "held by labelers", count: open, tone: "focus" },
    {
      name: round.status === "closed" ? "not labeled" : "waiting",
      count: Math.max(0, roundSlots(round) - submitted - open),
      tone: "line",
    },
  ];
}

/** "120 of 400 labels (30 %)" */
export function progressWords(round: RoundInProgress): string {
  const slots = roundSlots(round);
  const { submitted } = round.counts;
  if (round.imported) return countOf(submitted, "label");
  return `${formatCount(submitted)} of ${countOf(slots, "label")} (${formatPercent(submitted, slots)})`;
}
