import type { SelectorNews } from "@/api/homeTypes";
import { standings } from "@/ui/figureWords";
import { countOf } from "@/ui/format";

type Why = Exclude<SelectorNews["why"], "compared">;

/** Why the selector has nothing to compare with, and what to do about it. */
export const ALONE: Record<Why, { says: string; to: string; link: string }> = {
  none: {
    says: "There is no selector: each round names its own PRM. Promote one to have new rounds use it first.",
    to: "prms",
    link: "PRMs",
  },
  first: {
    says: "It is the first PRM that was promoted, so there is no earlier selector to compare it with.",
    to: "evaluations",
    link: "Evaluations",
  },
  not_compared: {
    says: "It was not measured on the same set as the selector before it. Evaluate both on one set.",
    to: "evaluations",
    link: "Evaluations",
  },
};

/** Return what all figures together allow to say: "better in 2 figures, worse in 1, undecided in 6". */
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
