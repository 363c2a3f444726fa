/**
 * The label in progress, as data: a pure reducer with unlimited undo and redo. No React, no clock, no network.
 * Steps count from 0. An action that changes nothing returns the very same draft, so it adds nothing to the history.
 */
import type {
  AlternativeRating,
  BadProblemKind,
  CarriedMark,
  CarriedRating,
  Confirmation,
  FinishReason,
  Mistake,
  Rating,
  Report,
  RunMarks,
  SuggestionRating,
} from "@/api/types";
import { type CandidateRow, NOTHING_SAID, withRow } from "./afterError";
import { type Calculation, type DeskThings, EMPTY_DESK, withCalculation, withLookAgain } from "./desk";
import type { LabelingProtocol, Ratings } from "./interface";
import { errorStep, filledIn, firstToRate, goodUpTo, isRatable, withErrorAt, withRating } from "./ratings";
import { NO_MARKS } from "./runMarks";

/** The part of a draft that undo and redo change and that is saved. */
export interface DraftContent {
  ratings: Ratings;
  /** The step at which the labeler realised that an earlier one was wrong. */
  noticedAtStep: number | null;
  /** Null: it follows from the ratings (`finishReason`). */
  finish: "solution" | "bad_problem" | "give_up" | null;
  finishKind: BadProblemKind | null;
  finishText: string;
  mistake: Mistake;
  alternatives: readonly AlternativeRating[];
  /** Ratings of what machines say about the mistake and of the next steps they suggest. */
  suggestions: readonly SuggestionRating[];
  /** Ratings filled in from an earlier label of this person and not changed since. */
  carried: readonly CarriedMark[];
  comments: Readonly<Record<number, string>>;
  reports: readonly Report[];
  confirmations: readonly Confirmation[];
  /** Marks about an agent's run as a whole. */
  runMarks: RunMarks;
  /** The labeler's own aids; they are saved with the draft, and undo leaves them alone. */
  desk: DeskThings;
}

interface Moment {
  content: DraftContent;
  focus: number;
}

export interface Draft {
  /** The rules of the label's round; they never change. */
  protocol: LabelingProtocol;
  content: DraftContent;
  /** The focused step. */
  focus: number;
  past: readonly Moment[];
  future: readonly Moment[];
  /** The field being typed in: consecutive changes to it are undone together. */
  typing: string | null;
}

export type DraftAction =
  | { type: "rate"; step: number; rating: Rating }
  | { type: "clear"; step: number }
  | { type: "goodUpTo"; step: number }
  | { type: "realise"; badStep: number; noticedAt: number }
  | { type: "finish"; finish: DraftContent["finish"]; kind?: BadProblemKind; text?: string }
  | { type: "mistake"; mistake: Partial<Mistake> }
  | { type: "rateCandidate"; row: CandidateRow; rating: Rating | null; flagged: boolean }
  | { type: "runMarks"; marks: Partial<RunMarks> }
  | { type: "comment"; step: number; text: string }
  | { type: "report"; report: Report }
  | { type: "withdrawReport"; kind: Report["kind"]; step: number | null }
  | { type: "confirm"; confirmation: Confirmation }
  | { type: "carry"; carried: readonly CarriedRating[] }
  | { type: "scratch"; text: string }
  | { type: "calculated"; calculation: Calculation }
  | { type: "lookAgain"; step: number }
  | { type: "focus"; step: number }
  | { type: "undo" }
  | { type: "redo" };

export function emptyContent(stepCount: number): DraftContent {
  return {
    ratings: new Array<Rating | null>(stepCount).fill(null),
    noticedAtStep: null,
    finish: null,
    finishKind: null,
    finishText: "",
    mistake: NOTHING_SAID,
    alternatives: [],
    suggestions: [],
    carried: [],
    comments: {},
    reports: [],
    confirmations: [],
    runMarks: NO_MARKS,
    desk: EMPTY_DESK,
  };
}

export function newDraft(protocol: LabelingProtocol, content: DraftContent, focus = 0): Draft {
  return { protocol, content, focus, past: [], future: [], typing: null };
}

/** The finish reason the labeler chose, or the one that follows from the ratings. */
export function finishReason(protocol: LabelingProtocol, content: DraftContent): FinishReason {
  return content.finish ?? (errorStep(protocol, content.ratings) >= 0 ? "found_error" : "solution");
}

function rate(draft: Draft, step: number, rating: Rating | null): DraftContent {
  const { protocol, content } = draft;
  const ratings = withRating(protocol, content.ratings, step, rating);
  const movedHere = rating === -1 && content.ratings[step] === -1 && content.noticedAtStep !== null;
  return ratings === content.ratings && !movedHere ? content : rerated(content, ratings, null);
}

function realise({ protocol, content }: Draft, badStep: number, noticedAt: number): DraftContent {
  const ratings = withErrorAt(protocol, content.ratings, badStep);
  return rerated(content, ratings, badStep === noticedAt ? null : noticedAt);
}

/** The content with changed ratings. What was said about the old ones no longer holds. */
function rerated(content: DraftContent, ratings: Ratings, noticedAtStep: number | null): DraftContent {
  const finish = content.finish === "solution" ? null : content.finish;
  return { ...content, ratings, finish, noticedAtStep, confirmations: [] };
}

function withGood(content: DraftContent, ratings: Ratings): DraftContent {
  return ratings === content.ratings ? content : { ...content, ratings, confirmations: [] };
}

/** Fill in the labeler's earlier ratings of the same texts; ratings already made here are kept. */
export function withCarried(
  protocol: LabelingProtocol,
  content: DraftContent,
  carried: readonly CarriedRating[],
): DraftContent {
  let ratings = content.ratings;
  const alternatives = [...content.alternatives];
  const marks: CarriedMark[] = [];
  for (const { step, completion, rating, flagged } of carried) {
    const before = ratings;
    if (completion === null) ratings = filledIn(protocol, ratings, step, rating);
    const taken =
      completion === null ? ratings !== before : fillAlternative(alternatives, { completion, rating, flagged });
    if (taken) marks.push({ step, completion });
  }
  return marks.length === 0 ? content : { ...content, ratings, alternatives, carried: [...content.carried, ...marks] };
}

function fillAlternative(alternatives: AlternativeRating[], one: AlternativeRating): boolean {
  if (alternatives.some(({ completion }) => completion === one.completion)) return false;
  alternatives.push(one);
  return true;
}

/** Drop the carried marks of ratings that the labeler changed: those are now the labeler's own. */
function withoutChanged(old: DraftContent, content: DraftContent): DraftContent {
  if (content.carried.length === 0 || content.ratings === old.ratings) return content;
  const carried = content.carried.filter(
    ({ step, completion }) => completion !== null || content.ratings[step] === old.ratings[step],
  );
  return carried.length === content.carried.length ? content : { ...content, carried };
}

function sameReport(report: Report, kind: Report["kind"], step: number | null): boolean {
  return report.kind === kind && report.step === step;
}

function withComment(content: DraftContent, step: number, text: string): DraftContent {
  if ((content.comments[step] ?? "") === text.trim()) return content;
  const { [step]: _old, ...others } = content.comments;
  return { ...content, comments: text.trim() === "" ? others : { ...others, [step]: text.trim() } };
}

function changed(draft: Draft, action: DraftAction): DraftContent {
  const { protocol, content } = draft;
  switch (action.type) {
    case "rate":
      return rate(draft, action.step, action.rating);
    case "clear":
      return rate(draft, action.step, null);
    case "goodUpTo":
      return withGood(content, goodUpTo(protocol, content.ratings, action.step));
    case "realise":
      return realise(draft, action.badStep, action.noticedAt);
    case "finish":
      return {
        ...content,
        finish: action.finish,
        finishKind: action.kind ?? null,
        finishText: action.text ?? "",
        confirmations: [],
      };
    case "mistake":
      return { ...content, mistake: { ...content.mistake, ...action.mistake } };
    case "rateCandidate": {
      const { row, rating, flagged } = action;
      const touched = ({ completion }: CarriedMark) => completion !== null && row.completions.includes(completion);
      const carried = content.carried.filter((mark) => !touched(mark));
      return { ...content, ...withRow(content, row, rating, flagged), carried };
    }
    case "runMarks":
      return { ...content, runMarks: { ...content.runMarks, ...action.marks } };
    case "comment":
      return withComment(content, action.step, action.text);
    case "report": {
      const { report } = action;
      return {
        ...content,
        reports: [...content.reports.filter((one) => !sameReport(one, report.kind, report.step)), report],
      };
    }
    case "withdrawReport": {
      const reports = content.reports.filter((one) => !sameReport(one, action.kind, action.step));
      return reports.length === content.reports.length ? content : { ...content, reports };
    }
    case "confirm": {
      const others = content.confirmations.filter((one) => one.code !== action.confirmation.code);
      return { ...content, confirmations: [...others, action.confirmation] };
    }
    default:
      return content;
  }
}

/** Where the focus moves after an action: to the next step, or to the error if a -1 ends the rating. */
function focusAfter(draft: Draft, action: DraftAction, stepCount: number): number {
  const clamp = (step: number) => Math.max(0, Math.min(stepCount - 1, step));
  switch (action.type) {
    case "focus":
      return clamp(action.step);
    case "rate":
      return clamp(endsRating(draft, action) ? action.step : action.step + 1);
    case "goodUpTo":
      return clamp(action.step + 1);
    case "realise":
      return clamp(action.badStep);
    default:
      return draft.focus;
  }
}

function endsRating({ protocol, content }: Draft, { step, rating }: { step: number; rating: Rating }): boolean {
  return rating === -1 && !isRatable(protocol, content.ratings.with(step, rating), step + 1);
}

function travel(draft: Draft, from: readonly Moment[], to: readonly Moment[], back: boolean): Draft {
  const moment = from.at(-1);
  if (!moment) return draft;
  const rest = from.slice(0, -1);
  const here = [...to, { content: draft.content, focus: draft.focus }];
  const content = { ...moment.content, desk: draft.content.desk };
  return { ...draft, ...moment, content, past: back ? rest : here, future: back ? here : rest, typing: null };
}

/** The desk after an action; most actions leave it unchanged. */
function deskAfter(desk: DeskThings, action: DraftAction): DeskThings {
  switch (action.type) {
    case "scratch":
      return action.text === desk.scratch ? desk : { ...desk, scratch: action.text };
    case "calculated":
      return withCalculation(desk, action.calculation);
    case "lookAgain":
      return withLookAgain(desk, action.step);
    default:
      return desk;
  }
}

function isRefused({ protocol, content: { ratings } }: Draft, action: DraftAction): boolean {
  if (action.type === "rate") return !isRatable(protocol, ratings, action.step);
  if (action.type !== "realise") return false;
  return action.badStep < 0 || action.badStep > action.noticedAt || action.noticedAt >= ratings.length;
}

/** Fill in carried ratings in every moment of the history, so that undo treats them as there from the start. */
function carry(draft: Draft, carried: readonly CarriedRating[]): Draft {
  const { protocol } = draft;
  const content = withCarried(protocol, draft.content, carried);
  if (content === draft.content) return draft;
  const filled = (moment: Moment) => ({ ...moment, content: withCarried(protocol, moment.content, carried) });
  const untouched = draft.past.length === 0 && draft.future.length === 0;
  return {
    ...draft,
    content,
    focus: untouched ? firstToRate(protocol, content.ratings) : draft.focus,
    past: draft.past.map(filled),
    future: draft.future.map(filled),
  };
}

/** The field that an action types in: all consecutive letters are one undo. */
function typedField(action: DraftAction): string | null {
  if (action.type === "comment") return `comment ${action.step}`;
  if (action.type === "runMarks") return "comment" in action.marks ? "runComment" : null;
  if (action.type !== "mistake") return null;
  return ["explanation", "corrected_step"].find((name) => name in action.mistake) ?? null;
}

export function draftReducer(draft: Draft, action: DraftAction): Draft {
  if (action.type === "undo") return travel(draft, draft.past, draft.future, true);
  if (action.type === "redo") return travel(draft, draft.future, draft.past, false);
  if (action.type === "carry") return carry(draft, action.carried);
  const desk = deskAfter(draft.content.desk, action);
  if (desk !== draft.content.desk) return { ...draft, content: { ...draft.content, desk } };
  if (isRefused(draft, action)) return draft;
  const content = withoutChanged(draft.content, changed(draft, action));
  const focus = focusAfter(draft, action, content.ratings.length);
  if (content === draft.content) return focus === draft.focus ? draft : { ...draft, focus, typing: null };
  const typing = typedField(action);
  const continues = typing !== null && draft.typing === typing;
  const past = continues ? draft.past : [...draft.past, { content: draft.content, focus: draft.focus }];
  return { ...draft, content, focus, past, future: [], typing };
}
