import type { Share } from "./charts/ShareBar";
import { countOf, formatCount, formatPercent } from "./format";

/** What of a round its progress is read from. */
interface RoundInProgress {
  overlap: number;
  imported: boolean;
  status: string;
  counts: { tasks: number; submitted: number; open: number; labels_wanted: number };
}

/**
 * How many labels the round is for: each of its tasks has `overlap` places, and more where labelers who differed brought
 * in others. Imported rounds hold what came.
 */
export function roundSlots({ overlap, imported, counts }: RoundInProgress): number {
  const asked = counts.submitted + counts.open + counts.labels_wanted;
  return imported ? counts.submitted : Math.max(counts.tasks * overlap, asked);
}

/** The round's places as shares: submitted, held (open on a desk, or fetched ahead), waiting; of a closed round those that stayed empty. */
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
