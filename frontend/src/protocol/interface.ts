/** The interface of every labeling protocol: the twin of the server's `labeling/protocol/interface.py`. */
import type { FinishReason, Outcome, Rating } from "@/api/types";

export type Ratings = readonly (Rating | null)[];

/** One thing to tell the labeler; `step` counts from 0 and is absent when no step is meant. */
export interface Finding {
  code: string;
  step?: number;
}

/** The verdict of a label that found all steps right. */
export const NO_ERROR = -1;

/** The rules by which the traces of a round are labeled, identified by name. */
export interface LabelingProtocol {
  name: string;
  /** What the submission still lacks, in the order a labeler would fix it; empty when complete. */
  missing: (ratings: Ratings, finish: FinishReason, kind: string, text: string) => Finding[];
  /** What the labeler must confirm with a reason before the submission is accepted. */
  contradictions: (ratings: Ratings, finish: FinishReason, outcome: Outcome) => Finding[];
  /** Where the trace first goes wrong according to the label: a step, NO_ERROR, or null if the label does not say. */
  verdict: (ratings: Ratings, finish: FinishReason) => number | null;
  /** The steps that may have a rating given the current ratings, in order. */
  ratableSteps: (ratings: Ratings) => readonly number[];
  words: {
    /** Shown next to the number of steps. */
    heading: string;
    /** What a −1 marks; shown next to its key. */
    minus: string;
    /** What happens at a −1; shown in the help. */
    atMinus: string;
    /** What a reviewer has to rate; shown while nothing is rated. */
    toRate: string;
    /** Why a step may not be rated. */
    closed: string;
  };
}
