import type { Selection, SelectionReason } from "@/api/roundTypes";
import type { Tone } from "@/ui/charts/ChartFigure";
import { countOf, formatCount } from "@/ui/format";

interface ReasonWords {
  name: string;
  means: string;
  tone: Tone;
}

/** Why a trace is in a round, in the order of the choice. */
export const REASONS: Record<SelectionReason, ReasonWords> = {
  convincing_wrong: {
    name: "Convincing wrong answers",
    means: "Their final answer is wrong, yet the model believes the steps. It is fooled somewhere.",
    tone: "minus",
  },
  convincing_rest: {
    name: "Most convincing of the rest",
    means: "The traces that the model believes most, right or wrong. They keep the labels from being all errors.",
    tone: "focus",
  },
  unsure: {
    name: "Unsure steps",
    means: "The model’s scores of their steps are closest to a coin toss.",
    tone: "focus",
  },
  wavering: {
    name: "Wavering model",
    means: "Heads trained on different draws of the labels differ most on their steps. Needs a stacked head.",
    tone: "focus",
  },
  disagreement: {
    name: "Scorers disagree",
    means: "Two models rank them most differently within the pool, so one of them is mistaken.",
    tone: "focus",
  },
  typical: {
    name: "Typical of their kind",
    means: "They are in the middle of a cluster of similar texts, one of each cluster first. Needs no model.",
    tone: "focus",
  },
  like: {
    name: "Like the named ones",
    means: "Their texts are most similar to those of the named traces.",
    tone: "focus",
  },
  control: {
    name: "Random control",
    means: "Drawn at random from the same pool, to show what the model’s choice is worth.",
    tone: "zero",
  },
  random: {
    name: "Random",
    means: "No trace in the pool had a score, so the choice was random.",
    tone: "zero",
  },
};

const PLAIN: Record<string, string> = {
  all: "All traces",
  filter: "Those that fit the filter",
  sample: "Random sample",
};

/** Return the name of a report's arm, including those of plain rounds. */
export function armWords(arm: string): { name: string; tone: Tone } {
  return REASONS[arm as SelectionReason] ?? { name: PLAIN[arm] ?? arm.replaceAll("_", " "), tone: "focus" };
}

export const REASON_ORDER = Object.keys(REASONS) as SelectionReason[];

const STRATEGY_NAMES: SelectionReason[] = ["unsure", "wavering", "disagreement", "typical", "like"];

const DROPS: Record<string, string> = {
  already_labeled_or_queued: "labeled or queued in another round",
  ungraded: "answer not graded, so never treated as wrong",
  unscored: "the model gave no score",
  exact_duplicate: "the same text as another",
  near_duplicate: "nearly the same text as one chosen",
  over_budget: "beyond the overall limit",
  over_cap: "beyond the limit of its problem",
  no_answer: "no final answer in the text",
  too_long: "longer than the model reads",
  prm_learned_from: "the PRM learned from them",
  passed_over: "the rules asked for no more like it",
};

/** Return why traces were left out, as text. An unknown reason is shown by its code. */
export function dropName(why: string): string {
  return DROPS[why] ?? why.replaceAll("_", " ");
}

/** Return how many traces of the pool were not chosen, by reason. With the chosen ones, they make up the pool. */
export function leftOut({ chosen, dropped, pool, fell_back_to_random }: Selection): {
  name: string;
  count: number;
}[] {
  const sum = (numbers: number[]) => numbers.reduce((all, number) => all + number, 0);
  const rest = pool.traces - sum(Object.values(chosen)) - sum(Object.values(dropped));
  const every = { ...dropped, passed_over: (dropped.passed_over ?? 0) + Math.max(0, rest) }; // not in old ones
  const named = Object.entries(every).map(([why, count]) => ({
    name: why === "passed_over" && fell_back_to_random ? "not drawn" : dropName(why),
    count,
  }));
  return named.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
}

/** What a round's mix asked for: K, and each way's share of it. */
interface MixRules {
  k: number | null;
  mix: Partial<Record<string, unknown>>;
}

const NO_MIX: MixRules = { k: null, mix: {} };

const LACKS: Record<string, string> = {
  unsure: "the model gave no probabilities of their steps",
  wavering: "only a stacked head measures how far its heads waver",
  disagreement: "it needs traces that both models have scored",
};

/** Return which ways of choosing fell short, and why. For the remaining shortfall, the pool had too few traces. */
function whyShort({ chosen, shortfall }: Selection, { k, mix }: MixRules): string {
  const ways = STRATEGY_NAMES.map((way) => {
    const share = mix[way];
    const asked = typeof share === "number" && k !== null ? Math.floor(share * k + 0.5) : 0;
    return { way, asked, found: chosen[way] ?? 0 };
  }).filter(({ asked, found }) => found < asked);
  const lost = ways.reduce((sum, { asked, found }) => sum + asked - found, 0);
  const reasons = ways.map(({ way, asked, found }) => {
    const why = LACKS[way] ? ` (${LACKS[way]})` : "";
    return `“${REASONS[way].name.toLowerCase()}” found ${formatCount(found)} of ${formatCount(asked)}${why}`;
  });
  if (lost < shortfall) {
    const rest = ways.length > 0 ? `for the other ${formatCount(shortfall - lost)} ` : "";
    reasons.push(`${rest}the pool had too few traces that match the rules`);
  }
  return reasons.join("; ");
}

/** Return the sentences to read before publishing; none if everything went as asked. */
export function selectionWarnings(selection: Selection, rules: MixRules = NO_MIX): string[] {
  const warnings: string[] = [];
  const mixed = STRATEGY_NAMES.some((way) => (selection.chosen[way] ?? 0) > 0);
  if (selection.fell_back_to_random && mixed) {
    warnings.push("No trace in the pool has a score. Traces that were not chosen by their text were chosen at random.");
  } else if (selection.fell_back_to_random) {
    warnings.push(
      "No trace in the pool has a score, so the traces were chosen at random. This is a baseline, not a search for errors.",
    );
  } else if ((selection.chosen.convincing_wrong ?? 0) === 0 && !mixed) {
    warnings.push("No wrong answer could be chosen. The pool has none that is scored and not yet labeled.");
  }
  if (selection.shortfall > 0) {
    warnings.push(
      `The selection is ${countOf(selection.shortfall, "trace")} short of its quota: ${whyShort(selection, rules)}.`,
    );
  }
  if (selection.pool.ungraded > selection.pool.correct + selection.pool.wrong) {
    warnings.push(
      "Most traces in the pool are not graded. Grade them first, or the wrong answers among them are missed.",
    );
  }
  return warnings;
}
