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
    asks: "Do people still find wrong what it likes, and what else does its score follow?",
    cannot: "A yield that falls alone may be a better generator; one that falls while scores rise is the sign.",
  },
  collapse: {
    title: "Process collapse",
    asks: "Does it judge steps, or only the final answer?",
    cannot: "A lowest score at the end is right where the error is there: chance and people stand beside it.",
  },
  false_confidence: {
    title: "False confidence",
    asks: "Is it surer than it is right, and more so of what it chose?",
    cannot: "Choosing by a score takes what it overrates; only the control arm speaks of everything else.",
  },
  transfer: {
    title: "Transfer",
    asks: "Does it tell right from wrong steps where it learned nothing?",
    cannot: "Another subject may also be harder: the difference does not say why.",
  },
  drift: {
    title: "Drift",
    asks: "Do labelers, the grader and the selector still do what they did in the first rounds?",
    cannot: "Rounds over other traces differ without any drift; gold is the same for all.",
  },
  hidden_reasoning: {
    title: "Hidden reasoning",
    asks: "How often does the answer not show how it was reached?",
    cannot: "What is written is judged. What a model thought and did not write is nowhere here.",
  },
  over_trust: {
    title: "Over-trust",
    asks: "How far do people follow a machine?",
    cannot:
      "A change after scores were seen may be for the better or the worse. Assisted rounds speak of their source, their labelers and their traces alone.",
  },
};

const NAMES: Record<string, string> = {
  yield: "errors found in selected wrong answers",
  yield_over_control: "… more than in the control arm",
  yield_change: "change of that share",
  score_change: "change of their mean score (log)",
  score_by_length: "score and number of steps, right answers",
  score_by_place: "step’s score and its place, right answers",
  score_by_style: "score and share of formulas, right answers",
  lowest_last: "lowest score at the last step",
  lowest_last_over_chance: "… more than by chance",
  lowest_last_error_earlier: "… where people’s first error is earlier",
  lowest_last_over_people: "… more than people’s first error is there",
  overconfidence: "score less the share of right steps",
  overconfidence_apart: "… selected less control",
  missed: "traces with an error that it lets pass",
  missed_apart: "… selected less control",
  auc_learned: "step AUC, learned",
  auc_other: "step AUC, not learned",
  auc_apart: "not learned less learned",
  gold_passed: "gold passed",
  gold_passed_change: "change of gold passed",
  labeler_errors_found: "errors found in what no score chose",
  labeler_errors_found_change: "change of errors found",
  grader_false_alarms: "wrong answers without a wrong step",
  grader_false_alarms_change: "change of wrong answers without a wrong step",
  selector_auc: "the selector’s step AUC",
  selector_auc_change: "change of the selector’s step AUC",
  right_with_error: "right answers with a wrong step",
  wrong_without_error: "wrong answers without a wrong step",
  idle_steps: "steps rated 0: they bring the solution no further",
  reached_after_error: "first errors after which rollouts still come to the right answer",
  lucky_caught: "right answers with a wrong step that it saw",
  changed_after_scores: "labels changed after scores were seen",
  seconds_saved_beside: "active seconds saved a label, beside marks",
  agreed_more_beside: "says what the machine says, beside marks less blind",
  right_more_beside: "right labels, beside marks less blind",
  followed_wrong: "says what a wrong mark says",
  followed_wrong_more_beside: "… beside marks less blind (anchoring)",
};

export function figureName(figure: FailureFigure): string {
  const name = NAMES[figure.name] ?? figure.name;
  return figure.of ? `${name} (${figure.of})` : name;
}

/** "0.41, 95 %: 0.30 to 0.53; n 80", or why it is not measurable here. */
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
