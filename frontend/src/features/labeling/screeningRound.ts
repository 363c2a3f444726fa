import type { Label } from "@/api/types";

/** Screening tasks are in rounds with negative numbers. */
export function isScreening(label: Pick<Label, "round">): boolean {
  return label.round.number < 0;
}
