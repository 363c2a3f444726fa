/**
 * A path that is chosen step by step: what a step still lacks, from which completions the server draws, and what is
 * sent. The twin of the server's `labeling/protocol/path.py`; both replay `labeling/tests/choose_step_cases.json`. Only
 * the server merges equal completions, and only it detects a written step that repeats the one before.
 */
import type { CompletionRating, OpenStep, Path, PathStep } from "@/api/pathTypes";
import { isSettled, type StepContent, saidOf } from "./stepDraft";

/**
 * Something a step lacks before it can be accepted; `number` is the completion's, or null if no completion is meant.
 */
export interface Lack {
  code: string;
  number: number | null;
}

type Rules = Pick<Path, "neutral_may_be_chosen">;

/** The numbers of the shown completions that have this rating. */
function rated({ completions }: OpenStep, content: StepContent, rating: number): number[] {
  return completions.map(({ number }) => number).filter((number) => saidOf(content, number).rating === rating);
}

/** The completions rated +1. */
export function great(open: OpenStep, content: StepContent): number[] {
  return rated(open, content, 1);
}

/** The completions from which the server draws one; empty if the labeler writes the step. */
export function among({ neutral_may_be_chosen }: Rules, open: OpenStep, content: StepContent): number[] {
  const best = great(open, content);
  if (best.length > 0) return best;
  return neutral_may_be_chosen && content.text.trim() === "" ? rated(open, content, 0) : [];
}

/** Is the one completion offered settled without a +1? Then the others must be shown. */
export function wantsRest(open: OpenStep, content: StepContent): boolean {
  const [first] = open.completions;
  if (open.state !== "first" || !first) return false;
  const said = saidOf(content, first.number);
  return isSettled(said) && said.rating !== 1;
}

/** What the step still lacks, in the order in which a labeler would fix it; empty when it can be sent. */
export function lacks(rules: Rules, open: OpenStep, content: StepContent): Lack[] {
  const unrated = open.completions.filter(({ number }) => !isSettled(saidOf(content, number)));
  if (unrated.length > 0) return unrated.map(({ number }) => ({ code: "unrated", number }));
  if (great(open, content).length > 0) return [];
  if (!open.may_write) return [{ code: "rest_not_seen", number: null }];
  const chosen = among(rules, open, content).length > 0 || content.text.trim() !== "";
  return chosen ? [] : [{ code: "human_needed", number: null }];
}

/** Are all completions rated and can none of them be drawn? Then the labeler writes the step. */
export function mustWrite(rules: Rules, open: OpenStep, content: StepContent): boolean {
  if (open.completions.length === 0) return false;
  const [lack] = lacks(rules, open, { ...content, text: "" });
  return lack?.code === "human_needed";
}

/** The ratings and flags of all completions shown. */
export function ratingsOf(open: OpenStep, content: StepContent): CompletionRating[] {
  return open.completions.map(({ number }) => ({ number, ...saidOf(content, number) }));
}

/** The step as it is sent: a written text counts only if no completion is rated +1. */
export function stepToSend(open: OpenStep, content: StepContent) {
  const written = great(open, content).length === 0 && content.text.trim() !== "";
  return {
    ratings: ratingsOf(open, content),
    human: written ? content.text.trim() : null,
    final_answer: written && content.answer.trim() !== "" ? content.answer.trim() : null,
  };
}

/** How many steps of the path the labeler wrote. */
export function writtenSteps(steps: readonly PathStep[]): number {
  return steps.filter((step) => step.source === "human").length;
}
