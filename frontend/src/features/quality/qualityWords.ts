import type { LabelerQuality, QualityState } from "@/api/qualityTypes";
import type { Tone } from "@/ui/charts/ChartFigure";
import { countOf } from "@/ui/format";
import type { StatusTone } from "@/ui/StatusMark";

export const STATE_WORDS: Record<QualityState, { tone: StatusTone; name: string }> = {
  working: { tone: "good", name: "gets work" },
  screening: { tone: "busy", name: "in screening" },
  retry: { tone: "held", name: "failed the screening once" },
  rejected: { tone: "bad", name: "not admitted" },
  paused: { tone: "held", name: "paused" },
};

/** What the rule says about a run (docs/quality.md), in a sentence an admin can act on. */
export const ACTION_WORDS: Record<LabelerQuality["action"], { tone: Tone; says: string }> = {
  watch: { tone: "focus", says: "" },
  coach: { tone: "warn", says: "Certainly below 90 %. Talk with them about the tasks they failed." },
  pause: { tone: "minus", says: "Certainly below the bar." },
  clear: { tone: "plus", says: "Certainly above the bar." },
};

/** "22 of 30, 23 needed" */
export function screeningWords({ passed, of, needed }: LabelerQuality["attempts"][number]): string {
  if (passed === null) return `under way, ${countOf(of, "task")}`;
  return passed >= needed ? `passed, ${passed} of ${of}` : `${passed} of ${of}, ${needed} needed`;
}
