import type { SelectorNews } from "@/api/homeTypes";
import { standings } from "@/ui/figureWords";
import { countOf } from "@/ui/format";

type Why = Exclude<SelectorNews["why"], "compared">;

/** Why the selector stands against nothing, and the way out. */
export const ALONE: Record<Why, { says: string; to: string; link: string }> = {
  none: {
    says: "No PRM selects: each round names its own. Promote one, and the next rounds begin with it.",
    to: "prms",
    link: "PRMs",
  },
  first: {
    says: "It is the first that was promoted: there is none to hold it against.",
    to: "evaluations",
    link: "Evaluations",
  },
  not_compared: {
    says: "It and the one before it were not measured on one set: evaluate both on the same.",
    to: "evaluations",
    link: "Evaluations",
  },
};

/** What may be said over all figures: "better in 2 figures, worse in 1, undecided in 6". */
export function selectorVerdict(differences: SelectorNews["differences"]): string {
  const { better, worse, undecided } = standings(differences);
  if (better.length + worse.length === 0) return "these traces show no difference";
  const parts = [
    better.length > 0 && `better in ${countOf(better.length, "figure")}`,
    worse.length > 0 && `worse in ${countOf(worse.length, "figure")}`,
    undecided.length > 0 && `undecided in ${undecided.length}`,
  ];
  return parts.filter(Boolean).join(", ");
}
