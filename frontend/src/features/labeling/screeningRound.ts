import type { Label } from "@/api/types";

/** Screening tasks stand in rounds that are numbered below zero. */
export function isScreening(label: Pick<Label, "round">): boolean {
  return label.round.number < 0;
}
