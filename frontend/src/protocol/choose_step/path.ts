/**
 * A path that is chosen step by step: what a step still lacks, among which completions the server draws, and what is sent.
 * The twin of the server's `labeling/protocol/path.py`; both replay `labeling/tests/choose_step_cases.json`. Equal
 * completions are merged by the server alone, and only it tells a written step that repeats the one before.
 */
import type { CompletionRating, OpenStep, Path, PathStep } from "@/api/pathTypes";
import { isSettled, type StepContent, saidOf } from "./stepDraft";

/** What a step lacks before it can be taken; `number` is the completion's, null where it is about none. */
export interface Lack {
  code: string;
  number: number | null;
}

type Rules = Pick<Path, "neutral_may_be_chosen">;

/** The numbers of the completions shown that have this rating. */
function rated({ completions }: OpenStep, content: StepContent, rating: number): number[] {
  return completions.map(({ number }) => number).filter((number) => saidOf(content, number).rating === rating);
}

/** Those rated +1. */
export function great(open: OpenStep, content: StepContent): number[] {
  return rated(open, content, 1);
}

/** The completions of which the server draws one; none where the labeler writes the step. */
export function among({ neutral_may_be_chosen }: Rules, open: OpenStep, content: StepContent): number[] {
  const best = great(open, content);
  if (best.length > 0) return best;
  return neutral_may_be_chosen && content.text.trim() === "" ? rated(open, content, 0) : [];
}

/** The one completion that is offered is said not to be great: the others are to be shown. */
export function wantsRest(open: OpenStep, content: StepContent): boolean {
  const [first] = open.completions;
  if (open.state !== "first" || !first) return false;
  const said = saidOf(content, first.number);
  return isSettled(said) && said.rating !== 1;
}

/** What the step still lacks, in the order in which a labeler would mend it; empty when it can be sent. */
export function lacks(rules: Rules, open: OpenStep, content: StepContent): Lack[] {
  const unrated = open.completions.filter(({ number }) => !isSettled(saidOf(content, number)));
  if (unrated.length > 0) return unrated.map(({ number }) => ({ code: "unrated", number }));
  if (great(open, content).length > 0) return [];
  if (!open.may_write) return [{ code: "rest_not_seen", number: null }];
  const chosen = among(rules, open, content).length > 0 || content.text.trim() !== "";
  return chosen ? [] : [{ code: "human_needed", number: null }];
}

/** All completions are rated and none of them can be drawn: the labeler writes the step. */
export function mustWrite(rules: Rules, open: OpenStep, content: StepContent): boolean {
  if (open.completions.length === 0) return false;
  const [lack] = lacks(rules, open, { ...content, text: "" });
  return lack?.code === "human_needed";
}

/** What is said of everything that is shown. */
export function ratingsOf(open: OpenStep, content: StepContent): CompletionRating[] {
  return open.completions.map(({ number }) => ({ number, ...saidOf(content, number) }));
}

/** The step as it is sent: what is written counts only where nothing is great. */
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
