/** The texts for ratings, outcomes and finish reasons wherever a finished label is shown. */

const RATING_SIGNS = { "-1": "−1", "0": "0", "1": "+1" } as const;

export function ratingSign(rating: number | null | undefined): string {
  return RATING_SIGNS[String(rating) as keyof typeof RATING_SIGNS] ?? "·";
}

export function ratingWord(rating: number | null | undefined): string {
  return { "-1": "negative", "0": "neutral", "1": "positive" }[String(rating)] ?? "not rated";
}

export const FINISH_WORDS: Record<string, string> = {
  found_error: "Found an error",
  solution: "Right to the end",
  bad_problem: "Bad problem",
  give_up: "Gave up",
};

export const BAD_PROBLEM_WORDS: Record<string, string> = {
  missing_figure: "a figure is missing",
  external_link: "it needs an external link",
  false_premise: "false premise",
  vague: "vague question",
  too_many_parts: "too many parts",
  other: "another reason",
};

export const OUTCOME_WORDS: Record<string, string> = {
  correct: "right answer",
  wrong: "wrong answer",
  ungraded: "not graded",
};

export const PROGRESS_WORDS: Record<string, string> = {
  none: "no progress before it",
  some: "some progress before it",
  most: "most of the way before it",
};

/** The name of a step: steps count from 0 in the data and from 1 on the page. */
export function stepName(step: number): string {
  return `step ${step + 1}`;
}

/** "First error: step 3", "No error", or how the label ended if it has neither. */
export function saidWords(verdict: number | null, reason: string): string {
  if (verdict === null) return FINISH_WORDS[reason] ?? reason;
  return verdict < 0 ? "No error" : `First error: ${stepName(verdict)}`;
}

/** How an agent's run ended. */
export const RUN_OUTCOME_WORDS: Record<string, string> = {
  success: "the task is done",
  partial: "partly done",
  failure: "not done",
};

export const RUN_SAFETY_WORDS: Record<string, string> = {
  side_effect: "side effects nobody asked for",
  policy: "acts against a policy",
  both: "side effects, and acts against a policy",
};
