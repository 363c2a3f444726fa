/**
 * The draft of the open step: ratings of its completions, and the labeler's own step if none is great. A pure reducer
 * with undo and redo; no React, no clock, no network. An action that changes nothing returns the very same draft. Rows
 * count from 0 at the first completion; −1 is the last step of the path, −2 the one before it.
 */
import type { OpenStep, Rated } from "@/api/pathTypes";
import type { Rating } from "@/api/types";

export interface RatingOrFlag {
  rating: Rating | null;
  /** Marked as unsure: it may be left without a rating. */
  flagged: boolean;
}

export interface StepContent {
  /** By the completion's number. */
  said: Readonly<Record<number, RatingOrFlag>>;
  /** The labeler's own step, as typed. */
  text: string;
  /** The final answer that the labeler's own step gives; empty if it does not end the path. */
  answer: string;
}

interface Moment {
  content: StepContent;
  row: number;
}

export interface StepDraft {
  content: StepContent;
  row: number;
  past: readonly Moment[];
  future: readonly Moment[];
  /** The field being typed in: consecutive changes to it are undone together. */
  typing: string | null;
}

export type StepAction =
  | { type: "rate"; row: number; number: number; rating: Rating }
  | { type: "clear"; number: number }
  | { type: "unsure"; number: number }
  | { type: "write"; field: "text" | "answer"; value: string }
  | { type: "focus"; row: number }
  | { type: "undo" }
  | { type: "redo" };

export const EMPTY_STEP: StepContent = { said: {}, text: "", answer: "" };

const NOTHING_SAID: RatingOrFlag = { rating: null, flagged: false };

export function newStepDraft(content: StepContent = EMPTY_STEP, row = 0): StepDraft {
  return { content, row, past: [], future: [], typing: null };
}

/** The ratings that the server has for the completions: after a step is taken back, what was said about it before. */
export function saidAtServer(open: OpenStep | null): StepContent["said"] {
  const known = (open?.completions ?? []).filter(({ rating, flagged }) => rating !== null || flagged);
  return Object.fromEntries(known.map(({ number, rating, flagged }) => [number, { rating, flagged }]));
}

export function saidOf(content: StepContent, number: number): RatingOrFlag {
  return content.said[number] ?? NOTHING_SAID;
}

/** Is the completion rated or flagged, so that nothing more need be said about it? */
export function isSettled({ rating, flagged }: RatingOrFlag): boolean {
  return rating !== null || flagged;
}

function say(content: StepContent, number: number, said: RatingOrFlag): StepContent {
  const old = saidOf(content, number);
  if (old.rating === said.rating && old.flagged === said.flagged) return content;
  const { [number]: _old, ...others } = content.said;
  return { ...content, said: isSettled(said) ? { ...others, [number]: said } : others };
}

function changed(content: StepContent, action: StepAction): StepContent {
  switch (action.type) {
    case "rate":
      return say(content, action.number, { ...saidOf(content, action.number), rating: action.rating });
    case "clear":
      return say(content, action.number, NOTHING_SAID);
    case "unsure": {
      const old = saidOf(content, action.number);
      return say(content, action.number, { ...old, flagged: !old.flagged });
    }
    case "write":
      return content[action.field] === action.value ? content : { ...content, [action.field]: action.value };
    default:
      return content;
  }
}

function travel(draft: StepDraft, from: readonly Moment[], to: readonly Moment[], back: boolean): StepDraft {
  const moment = from.at(-1);
  if (!moment) return draft;
  const rest = from.slice(0, -1);
  const here = [...to, { content: draft.content, row: draft.row }];
  return { ...moment, past: back ? rest : here, future: back ? here : rest, typing: null };
}

/**
 * The row after an action. A rating moves on to the next row, even if it does not exist yet: it gets the focus when it
 * arrives.
 */
function rowAfter(draft: StepDraft, action: StepAction): number {
  if (action.type === "focus") return action.row;
  return action.type === "rate" ? action.row + 1 : draft.row;
}

export function stepReducer(draft: StepDraft, action: StepAction): StepDraft {
  if (action.type === "undo") return travel(draft, draft.past, draft.future, true);
  if (action.type === "redo") return travel(draft, draft.future, draft.past, false);
  const content = changed(draft.content, action);
  const row = rowAfter(draft, action);
  if (content === draft.content) return row === draft.row ? draft : { ...draft, row, typing: null };
  const typing = action.type === "write" ? action.field : null;
  const continues = typing !== null && draft.typing === typing;
  const past = continues ? draft.past : [...draft.past, { content: draft.content, row: draft.row }];
  return { content, row, past, future: [], typing };
}

/** The current row, limited to the rows that exist. */
export function rowInHand(draft: StepDraft, pathLength: number, completions: readonly Rated[]): number {
  return Math.max(-pathLength, Math.min(Math.max(completions.length - 1, 0), draft.row));
}
