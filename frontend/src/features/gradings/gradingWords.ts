import type { Grading, GradingScope } from "@/api/roundTypes";
import { countOf, formatCount, formatPercent } from "@/ui/format";

export const SCOPES: { value: GradingScope; name: string; means: string }[] = [
  { value: "ungraded", name: "Those not graded", means: "Traces without an outcome so far." },
  {
    value: "outdated",
    name: "Those graded by something else",
    means: "By an older grader, or by the file they came from.",
  },
  { value: "all", name: "All", means: "Grade every trace again, after correcting an answer or to check." },
];

export function scopeName(scope: string): string {
  if (scope === "problem") return "Those of one problem, whose right answers changed";
  return SCOPES.find(({ value }) => value === scope)?.name ?? scope;
}

const KINDS: Record<string, string> = {
  maths: "as mathematics, by value",
  exact: "character by character",
  choice: "as options",
  numeric: "as numbers, within a tolerance",
  none: "never",
};

export function kindWords(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** The grader's words for verdicts, as a person would say them. An unknown one is shown as it is. */
const REASONS: Record<string, string> = {
  no_answer: "no final answer was found",
  no_truth: "the problem has no true answer",
  answer_too_long: "the answer is too long",
  not_graded: "the project grades no answers",
  truth_unreadable: "the true answer cannot be read",
  truth_is_no_number: "the true answer is not a number",
  truth_is_no_option: "the true answer does not name an option",
  answer_unreadable: "the answer cannot be read",
  answer_is_no_number: "the answer is not a number",
  answer_is_no_option: "the answer does not name an option",
  false_equation: "an equation that does not hold",
  words_against_mathematics: "prose against mathematics",
  unknown_units: "units the grader does not know",
  order_unclear: "unclear whether order counts",
  brackets_unclear: "unclear what the brackets mean",
  repetition_unclear: "unclear whether repetition counts",
  signs_unclear: "unclear which signs go together",
  base_unclear: "unclear in which base it is written",
  unit_unclear: "it may be meant in another unit",
  two_readings: "it can be read in two ways",
  other_names: "the two are named differently",
  other_words: "other words, which may mean the same",
  other_kind: "a set of numbers against one number",
  other_shape: "a row against a column",
  approximate: "one is only approximate",
  same_in_a_sentence: "the sentence says it",
  other_count: "a different number of parts",
  undecided: "neither equal nor certainly different",
  timed_out: "took too long to decide",
  out_of_memory: "took too much memory to decide",
  crashed: "the grader crashed",
};

export function reasonWords(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll("_", " ");
}

const RULES: Record<string, string> = {
  recorded: "as the trace records it",
  boxed: "from \\boxed{…}",
  answer_block: "below “# Answer”",
  hashes: "after “####”",
  a_line: "from the line “A: …”",
  answer_is: "after “the answer is”",
  option: "the last option named",
};

/** Return where in a trace the grader found its answer. */
export function ruleWords(rule: string): string {
  return RULES[rule] ?? rule.replaceAll("_", " ");
}

/** Return what to do about the differences of a grading that can be applied, and what applying it leaves unchanged. */
export function adviceFor({ can_apply, differences, kept }: Grading): string {
  const keeps = `${countOf(kept, "trace keeps", "traces keep")} the outcome from the import, because the grader could not decide.`;
  if (!can_apply || differences === 0) return kept > 0 ? keeps : "";
  if (kept >= differences) return `Nothing would change: ${keeps}`;
  const look = "Nothing is changed yet. Look at the differences, then apply them.";
  return kept > 0 ? `${look} ${keeps}` : look;
}

/** Has a later grading deleted the differences that this one found, so that it can no longer be applied? */
export function isDiscarded({ status, stage, differences, can_apply }: Grading): boolean {
  return status === "succeeded" && stage === "grading" && differences > 0 && !can_apply;
}

/** Return in one sentence the state of the grading, or its result. */
export function standing(grading: Grading): string {
  const { status, stage, traces_done, traces_total, differences, changed, skipped, error } = grading;
  const applying = stage === "applying";
  switch (status) {
    case "queued":
      return "Waiting for a worker.";
    case "running":
      if (applying) return "Giving the traces their new outcomes.";
      if (traces_total === 0) return "Counting the traces.";
      return `${formatCount(traces_done)} of ${countOf(traces_total, "trace")} graded (${formatPercent(traces_done, traces_total)})`;
    case "failed":
      return error || "It failed.";
    case "cancelled":
      return applying
        ? `Stopped. ${countOf(changed, "outcome was", "outcomes were")} already changed.`
        : "Cancelled. No trace was changed.";
    case "succeeded":
      if (!applying) {
        if (traces_total === 0) return "There was nothing to grade.";
        if (isDiscarded(grading)) return `${countOf(traces_done, "trace")} graded. Discarded by a later grading.`;
        return differences === 0
          ? `${countOf(traces_done, "trace")} graded. No outcome differs.`
          : `${countOf(traces_done, "trace")} graded. ${countOf(differences, "outcome differs", "outcomes differ")}.`;
      }
      return `Applied: ${countOf(changed, "outcome was", "outcomes were")} changed.${skipped > 0 ? ` ${countOf(skipped, "trace was", "traces were")} left alone, because ${skipped === 1 ? "it was" : "they were"} changed in the meantime.` : ""}`;
  }
}
