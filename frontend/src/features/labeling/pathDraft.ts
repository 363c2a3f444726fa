/**
 * What is kept of a path on this device and, as its draft, on the server, and how it changes when the path moves. Pure.
 */
import type { DiscardedStep, Path, StepToSubmit } from "@/api/pathTypes";
import type { BadProblemKind, Report, Span, Submission } from "@/api/types";
import { ratingsOf } from "@/protocol/choose_step/path";
import {
  EMPTY_STEP,
  isSettled,
  newStepDraft,
  type StepContent,
  type StepDraft,
  saidAtServer,
  saidOf,
} from "@/protocol/choose_step/stepDraft";
import { type DeskThings, EMPTY_DESK } from "@/protocol/desk";
import { splitAnswer } from "@/ui/trace/pathWords";
import { sentSpans } from "./submission";

/** How a path ends without reaching an answer. */
export interface Ending {
  finish: "bad_problem" | "give_up";
  kind: BadProblemKind | null;
  text: string;
}

export interface PathContent {
  /** The path that `step` is about. Empty once the server has accepted the step. */
  prefixHash: string;
  /** The index of the step that `step` is about; −1 in drafts of earlier versions. */
  at: number;
  step: StepContent;
  /** The other completions are wanted, although the first one is not rated yet. */
  restWanted: boolean;
  /** A step on its way to the server: sent again until it is answered, always with the same key. */
  sending: StepToSubmit | null;
  comments: Readonly<Record<number, string>>;
  reports: readonly Report[];
  ending: Ending | null;
  /** The scratch pad and the calculator's lines. */
  desk: DeskThings;
}

/** What concerns the label as a whole, not the open step. */
export type PathNote = Partial<Pick<PathContent, "comments" | "reports" | "ending" | "desk">>;

export interface SavedPath {
  version: 1;
  protocol: "choose_step";
  content: PathContent;
  spans: readonly Span[];
  startedAt: number;
  updatedAt: number;
  writer: string;
}

export const EMPTY_PATH: PathContent = {
  prefixHash: "",
  at: -1,
  step: EMPTY_STEP,
  restWanted: false,
  sending: null,
  comments: {},
  reports: [],
  ending: null,
  desk: EMPTY_DESK,
};

/** Return what the server or the journal holds if it is a draft of a path, otherwise null. */
export function readSavedPath(value: unknown): SavedPath | null {
  if (typeof value !== "object" || value === null) return null;
  const saved = value as Partial<SavedPath>;
  if (saved.version !== 1 || saved.protocol !== "choose_step" || !saved.content?.step) return null;
  return {
    version: 1,
    protocol: "choose_step",
    content: { ...EMPTY_PATH, ...saved.content, step: { ...EMPTY_STEP, ...saved.content.step } },
    spans: Array.isArray(saved.spans) ? saved.spans : [],
    startedAt: saved.startedAt ?? Date.now(),
    updatedAt: saved.updatedAt ?? 0,
    writer: saved.writer ?? "",
  };
}

/** What moved the path: a step by this page, this page taking one back, or something else (another tab or device). */
export type Mover = "step" | "undo" | "other";

interface Move {
  /** The path is not the one that the draft is about. */
  moved: boolean;
  /** The page sees the path for the first time. */
  first: boolean;
  mover: Mover;
  /** The index of the step that the draft is about. */
  at: number;
}

/**
 * Return the draft of the step now open. Text typed for a step that was submitted elsewhere meanwhile is kept, except
 * in a stored draft of a step that the labeler wrote: that text, or an earlier state of it, is in the path already.
 */
export function draftAfter(draft: StepDraft, { moved, first, mover, at }: Move, path: Path): StepDraft {
  if (!moved) {
    const known = withKnown(draft, path);
    return first ? { ...known, row: firstUnsettled(path, known.content) } : known;
  }
  const kept = first && path.steps[at]?.source === "human" ? EMPTY_STEP : draft.content;
  const { text, answer } = mover === "other" ? kept : mover === "undo" ? writtenBefore(path) : EMPTY_STEP;
  const content = { said: saidAtServer(path.open), text, answer };
  return newStepDraft(content, firstUnsettled(path, content));
}

/** Add completions that have arrived and ratings made on another device. What was said here takes precedence. */
function withKnown(draft: StepDraft, path: Path): StepDraft {
  const said = { ...saidAtServer(path.open), ...draft.content.said };
  const more = Object.keys(said).length > Object.keys(draft.content.said).length;
  // What was cleared here stays cleared: the server only adds to a draft without changes of its own.
  const untouched = draft.past.length === 0 && draft.future.length === 0;
  return more && untouched ? { ...draft, content: { ...draft.content, said } } : draft;
}

function firstUnsettled(path: Path, content: StepContent): number {
  const completions = path.open?.completions ?? [];
  const row = completions.findIndex(({ number }) => !isSettled(saidOf(content, number)));
  return row >= 0 ? row : Math.max(0, completions.length - 1);
}

/** Return the written step that was just taken back, as it was typed. */
function writtenBefore({ open, discarded }: Path): Pick<StepContent, "text" | "answer"> {
  const last: DiscardedStep | undefined = discarded.at(-1);
  if (!open || last?.source !== "human" || last.step !== open.step) return EMPTY_STEP;
  const { said, answer } = splitAnswer(last.text);
  return { text: said, answer };
}

/** Return the submission of a finished path. */
export function buildPathSubmission(
  saved: SavedPath,
  path: Path,
  idempotencyKey: string,
  build: string,
  now: number,
): Submission {
  const { ending, step, comments, reports, desk } = saved.content;
  return {
    idempotency_key: idempotencyKey,
    finish_reason: ending?.finish ?? "solution",
    finish_detail: ending ? { ...(ending.kind ? { kind: ending.kind } : {}), text: ending.text.trim() } : {},
    ratings: [],
    path: {
      prefix_hash: path.prefix_hash,
      ratings: ending && path.open ? ratingsOf(path.open, step) : [],
    },
    noticed_at_step: null,
    mistake: null,
    alternatives: [],
    suggestions: [],
    calculations: [...desk.calculations],
    carried: [],
    comments: Object.entries(comments)
      .map(([place, text]) => ({ step: Number(place), text }))
      .filter(({ step: place }) => place < path.steps.length + (path.open ? 1 : 0)),
    reports: [...reports],
    run_marks: null,
    confirmations: [],
    spans: sentSpans(saved.spans),
    total_ms: Math.max(0, Math.round(now - saved.startedAt)),
    client_build: build.slice(0, 60),
  };
}
