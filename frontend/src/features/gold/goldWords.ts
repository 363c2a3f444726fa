import type { GoldCounts, GoldItem, GoldSign } from "@/api/qualityTypes";
import { intervalWords } from "@/ui/charts/IntervalRows";
import { countOf } from "@/ui/format";

/** What suggests that a gold item is wrong, and what to do about it. */
export const SIGN_WORDS: Record<GoldSign, { name: string; means: string }> = {
  wrong_key: {
    name: "Most say otherwise",
    means: "Most labelers agree on an answer that does not pass. Read the task again, and edit or retire it.",
  },
  split: {
    name: "Split evenly",
    means:
      "About half pass, and the others agree on something else. It can be read both ways: accept both, or retire it.",
  },
  leaked: {
    name: "Known",
    means: "Everyone passes faster than they could read it, so the answer has probably spread. Retire it.",
  },
  too_easy: { name: "Too easy", means: "Everyone passes, so it does not tell labelers apart." },
};

/** Return what is missing for rounds and screening to have the gold they ask for; empty if nothing is. */
export function lackingWords({ active, a_round, a_screening, labelers, least_left, short }: GoldCounts): string {
  const parts = [];
  if (a_screening > active) {
    parts.push(
      `A screening takes ${countOf(a_screening, "gold task")}, but there are ${active}. New labelers cannot begin until there are more.`,
    );
  }
  if (a_round > active && active > 0) {
    parts.push(`A round takes ${a_round}, but it will get ${active}, because nobody gets the same one twice.`);
  }
  if (active >= a_round && short > 0) {
    const who = labelers === 1 ? "The labeler has" : `${short} of ${labelers} labelers ${short === 1 ? "has" : "have"}`;
    parts.push(
      `${who} had so much gold that the next round cannot give them ${a_round}. The fewest left for one labeler is ${least_left}.`,
    );
  }
  if (a_round > 0 && active === 0) parts.push("Rounds that you open now have no gold, so nobody is measured in them.");
  return parts.join(" ");
}

/** Return how labelers do on the decisive error of an agent's run: of those they named, how many gold accepts. */
export function decisiveWords({ tally: { decisive } }: Pick<GoldItem, "tally">): string {
  if (decisive.n === 0) return "nobody has named one yet";
  return intervalWords({ part: Math.round((decisive.value ?? 0) * decisive.n), whole: decisive.n, ...decisive });
}
