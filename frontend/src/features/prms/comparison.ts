import type { Comparison, Difference, Evaluation } from "@/api/trainingTypes";
import { intervalPart, signed } from "@/ui/charts/estimateWords";
import { standings } from "@/ui/figureWords";

export interface Verdict {
  tone: "good" | "warn" | "info";
  title: string;
}

/** Return what can be concluded about the two from all figures, not from one. */
export function verdictOf({ left, right, differences }: Pick<Comparison, "left" | "right" | "differences">): Verdict {
  const { better, worse, undecided, unknown } = standings(differences);
  const pair = `${left.prm.name} against ${right.prm.name}`;
  if (better.length + worse.length === 0) {
    const known = undecided.length > 0;
    return {
      tone: "info",
      title: `${pair}: ${known ? `these traces show no difference in any of ${undecided.length} figures` : "no figures that can be compared"}`,
    };
  }
  const parts = [
    better.length > 0 && `better in ${better.length}`,
    worse.length > 0 && `worse in ${worse.length}`,
    undecided.length > 0 && `undecided in ${undecided.length}`,
    unknown.length > 0 && `no interval in ${unknown.length}`,
  ];
  return { tone: worse.length > 0 ? "warn" : "good", title: `${pair}: ${parts.filter(Boolean).join(", ")}` };
}

/** "−0.028, 95 %: −0.096 to +0.037" */
export function differenceWords(difference: Difference): string {
  if (difference.value === null) return "n/a";
  return [signed(difference.value), intervalPart(difference, signed)].filter(Boolean).join(", ");
}

/** Return whether it judges no step of any trace wrong. Then no figure based on its judgments means anything. */
export function neverWrong({ report }: Pick<Evaluation, "report">): boolean {
  return report?.said_wrong === 0;
}

/** Return what to do about a PRM that never says "wrong" at its threshold. */
export function thresholdWords(threshold: number, advised: number | null): string {
  const silent = `At the threshold ${threshold.toFixed(2)}, it finds no errors: no step of any trace scores below it.`;
  if (advised === null) return `${silent} No threshold chosen on validation labels is known for it.`;
  return `${silent} On the validation labels of its training, the threshold ${advised.toFixed(2)} was best. Nothing from this set was used to choose it.`;
}
