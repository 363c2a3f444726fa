/** What every labeling protocol answers: the twin of the server's `labeling/protocol/interface.py`. */
import type { FinishReason, Outcome, Rating } from "@/api/types";

export type Ratings = readonly (Rating | null)[];

/** One thing to tell the labeler; `step` counts from 0 and is absent when it is about no step. */
export interface Finding {
  code: string;
  step?: number;
}

/** The verdict of a label that found every step right. */
export const NO_ERROR = -1;

/** How the traces of a round are labeled: one rule book, known by its name. */
export interface LabelingProtocol {
  name: string;
  /** What the submission still lacks, in the order a labeler would mend it; empty when complete. */
  missing: (ratings: Ratings, finish: FinishReason, kind: string, text: string) => Finding[];
  /** What the labeler has to confirm with a reason before the submission is taken. */
  contradictions: (ratings: Ratings, finish: FinishReason, outcome: Outcome) => Finding[];
  /** Where the label says that the trace first goes wrong: a step, NO_ERROR, or null where it does not say. */
  verdict: (ratings: Ratings, finish: FinishReason) => number | null;
  /** The steps that may have a rating, in order, given what is rated now. */
  ratableSteps: (ratings: Ratings) => readonly number[];
  words: {
    /** Beside the number of steps. */
    heading: string;
    /** What a −1 marks, beside its key. */
    minus: string;
    /** What becomes of the path at a −1, in the help. */
    atMinus: string;
    /** What a reviewer has to rate, where nothing is rated yet. */
    toRate: string;
    /** Why a step may not be rated. */
    closed: string;
  };
}
