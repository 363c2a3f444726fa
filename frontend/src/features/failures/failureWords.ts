import type { FailureFigure, FailureSectionName } from "@/api/failureTypes";
import { decimal, signed, withInterval } from "@/ui/charts/estimateWords";
import { formatCount } from "@/ui/format";

interface SectionWords {
  title: string;
  asks: string;
  cannot: string;
}

export const SECTIONS: Record<FailureSectionName, SectionWords> = {
  gaming: {
    title: "Gaming",
    asks: "Do people still find errors in what it scores highly, and what else does its score depend on?",
    cannot:
      "A falling yield alone may come from a better generator. Gaming shows as a yield that falls while scores rise.",
  },
  collapse: {
    title: "Process collapse",
    asks: "Does it judge steps, or only the final answer?",
    cannot: "A lowest score at the end is right if the error is there. Compare it with chance and with people.",
  },
  false_confidence: {
    title: "False confidence",
    asks: "Is it more confident than it is right, especially about what it chose?",
    cannot: "Choosing by a score picks what the score overrates. Only the control arm represents all other traces.",
  },
  transfer: {
    title: "Transfer",
    asks: "Does it tell right from wrong steps on data it did not learn from?",
    cannot: "Another subject may also be harder. The difference does not tell you why.",
  },
  drift: {
    title: "Drift",
    asks: "Do labelers, the grader and the selector still do what they did in the first rounds?",
    cannot: "Rounds over different traces differ even without drift. Gold is the same for all.",
  },
  hidden_reasoning: {
    title: "Hidden reasoning",
    asks: "How often does the answer not show how it was reached?",
    cannot: "Only what is written is judged. What a model thought but did not write is not covered.",
  },
  over_trust: {
    title: "Over-trust",
    asks: "How much do people follow a machine?",
    cannot:
      "A change after scores were seen may be for better or worse. Assisted rounds tell you only about their own source, labelers and traces.",
  },
};

const NAMES: Record<string, string> = {
  yield: "errors found in selected wrong answers",
  yield_over_control: "… more than in the control arm",
  yield_change: "change of that share",
  score_change: "change of their mean score (log)",
  score_by_length: "score and number of steps, right answers",
  score_by_place: "step’s score and its position, right answers",
  score_by_style: "score and share of formulas, right answers",
  lowest_last: "lowest score at the last step",
  lowest_last_over_chance: "… more than by chance",
  lowest_last_error_earlier: "… where people’s first error is earlier",
  lowest_last_over_people: "… more than people’s first error is there",
  overconfidence: "score minus the share of right steps",
  overconfidence_apart: "… selected minus control",
  missed: "traces with an error that it misses",
  missed_apart: "… selected minus control",
  auc_learned: "step AUC, learned",
  auc_other: "step AUC, not learned",
  auc_apart: "not learned minus learned",
  gold_passed: "gold passed",
  gold_passed_change: "change of gold passed",
  labeler_errors_found: "errors found in traces that no score chose",
  labeler_errors_found_change: "change of errors found",
  grader_false_alarms: "wrong answers without a wrong step",
  grader_false_alarms_change: "change of wrong answers without a wrong step",
  selector_auc: "the selector’s step AUC",
  selector_auc_change: "change of the selector’s step AUC",
  right_with_error: "right answers with a wrong step",
  wrong_without_error: "wrong answers without a wrong step",
  idle_steps: "steps rated 0: they do not advance the solution",
  reached_after_error: "first errors after which rollouts still reach the right answer",
  lucky_caught: "right answers with a wrong step that it caught",
  changed_after_scores: "labels changed after scores were seen",
  seconds_saved_beside: "active seconds saved per label, with marks shown",
  agreed_more_beside: "same verdict as the machine, with marks minus blind",
  right_more_beside: "right labels, with marks minus blind",
  followed_wrong: "same verdict as a wrong mark",
  followed_wrong_more_beside: "… with marks minus blind (anchoring)",
};

export function figureName(figure: FailureFigure): string {
  const name = NAMES[figure.name] ?? figure.name;
  return figure.of ? `${name} (${figure.of})` : name;
}

/** "0.41, 95 %: 0.30 to 0.53; n 80", or why it cannot be measured here. */
export function figureWords(figure: FailureFigure): string {
  if (figure.value === null) return `not measurable here, because ${figure.why}`;
  const format = (value: number) =>
    figure.unit === "share" || figure.unit === "auc"
      ? decimal(value)
      : figure.unit === "seconds"
        ? `${decimal(value, 1)} s`
        : signed(value, 2);
  return `${withInterval(figure, format)}; n ${formatCount(figure.n)}`;
}
