import type { Agreement, AgreementEstimate } from "@/api/reviewTypes";
import { decimal, withInterval } from "@/ui/charts/estimateWords";
import { countOf } from "@/ui/format";

export type FigureName = "alpha" | "exact" | "within_one" | "has_error";

/** Return why a figure has no value. Such a figure is never shown as 0 or 1. */
export function whyNone({ why }: AgreementEstimate): string {
  return why === "no_variation" ? "n/a: everyone always gave the same answer" : "n/a: nothing was labeled twice";
}

/** "0.72, 95 %: 0.65 to 0.79 (1,204 steps)" */
export function estimateWords(estimate: AgreementEstimate, unit: string): string {
  if (estimate.value === null) return whyNone(estimate);
  return `${withInterval(estimate, two, "problem")} (${countOf(estimate.n, unit)})`;
}

export function two(value: number): string {
  return decimal(value, 2);
}

/** What each figure measures, in the order shown: ratings never without the first error. */
export const FIGURES: { name: FigureName; title: string; unit: string; means: string }[] = [
  {
    name: "alpha",
    title: "Ratings (Krippendorff’s alpha)",
    unit: "step",
    means: "1: always the same; 0: as by chance. Covers steps that at least two people rated.",
  },
  {
    name: "exact",
    title: "Same first error",
    unit: "pair",
    means: "Pairs of labels of one trace that name the same step, or both say there is no error.",
  },
  { name: "within_one", title: "First error within one step", unit: "pair", means: "The same or the next." },
  {
    name: "has_error",
    title: "Whether there is an error",
    unit: "pair",
    means: "No matter where.",
  },
];

/** "Where both found an error, they are 1.4 steps apart on average." */
export function distanceWords({ distance }: Agreement["figures"]): string {
  if (distance.value === null) return "No two labelers both found an error in the same trace.";
  return `Where both found an error, they are ${two(distance.value)} steps apart on average.`;
}

/** "Decisive error of a run, where both name one: the same in …"; empty if nobody named one. */
export function decisiveWords({ decisive_error: figure }: Pick<Agreement, "decisive_error">): string {
  if (figure.value === null) return "";
  return ` Decisive error of a run, where both name one: the same in ${estimateWords(figure, "pair")}.`;
}

interface FinishMatrix {
  reasons: string[];
  /** How many pairs of labels finished like this, by row and column. */
  count: (row: number, column: number) => number;
  total: number;
}

/**
 * Return pairs of labels by their two finish reasons. Without a chosen pair of people, each counts once, below the
 * diagonal.
 */
export function finishMatrix(cells: Agreement["finish_reasons"], order: string[], paired: boolean): FinishMatrix {
  const reasons = order.filter((reason) => cells.some(({ one, other }) => one === reason || other === reason));
  const counts = new Map(cells.map(({ one, other, n }) => [`${one}/${other}`, n]));
  const found = (one = "", other = "") => counts.get(`${one}/${other}`) ?? 0;
  return {
    reasons,
    total: cells.reduce((sum, { n }) => sum + n, 0),
    count: (row, column) => {
      const [one, other] = [reasons[row], reasons[column]];
      if (paired || one === other) return found(one, other);
      return column < row ? found(one, other) + found(other, one) : 0;
    },
  };
}
