import type { Ruling } from "@/api/reviewTypes";
import type { Rating } from "@/api/types";
import type { LabelingProtocol, Ratings } from "@/protocol/interface";
import { counted, errorStep, isRatable, withRating } from "@/protocol/ratings";

/** A reviewer's own label in progress, under the round's protocol. */
export interface RulingDraft {
  protocol: LabelingProtocol;
  ratings: Ratings;
  bad: boolean;
  badKind: string;
  badText: string;
  explanation: string;
  note: string;
}

export function emptyRuling(protocol: LabelingProtocol, steps: number): RulingDraft {
  const ratings = Array<Rating | null>(steps).fill(null);
  return { protocol, ratings, bad: false, badKind: "", badText: "", explanation: "", note: "" };
}

/** Rate a step, or clear its rating with null. The protocol says which steps can be rated. */
export function rateStep(draft: RulingDraft, step: number, rating: Rating | null): RulingDraft {
  if (!isRatable(draft.protocol, draft.ratings, step)) return draft;
  const ratings = withRating(draft.protocol, draft.ratings, step, rating);
  return { ...draft, ratings, bad: rating === null && draft.bad };
}

/** Return the step that the draft calls the error, or -1 if there is none. */
export function foundError({ protocol, ratings }: RulingDraft): number {
  return errorStep(protocol, ratings);
}

/** Start from your own earlier ruling. */
export function reopened(protocol: LabelingProtocol, review: Ruling, steps: number): RulingDraft {
  const { ratings, finish_reason, finish_detail, mistake, note } = review;
  return {
    protocol,
    ratings: Array.from({ length: steps }, (_, step) => ratings[step] ?? null),
    bad: finish_reason === "bad_problem",
    badKind: finish_detail?.kind ?? "",
    badText: finish_detail?.text ?? "",
    explanation: mistake?.explanation ?? "",
    note: note ?? "",
  };
}

/** Start from the ratings of a label. */
export function startFrom(draft: RulingDraft, ratings: readonly (Rating | null)[]): RulingDraft {
  const said = draft.ratings.map((_, step) => ratings[step] ?? null);
  return { ...draft, bad: false, ratings: counted(draft.protocol, said) };
}

function finishOf(draft: RulingDraft): "bad_problem" | "found_error" | "solution" {
  if (draft.bad) return "bad_problem";
  return foundError(draft) >= 0 ? "found_error" : "solution";
}

/** Return what is still missing; null if the ruling can be sent. `blind`: no label is shown to start from. */
export function rulingLacks(draft: RulingDraft, blind = false): string | null {
  const { protocol, ratings } = draft;
  const [lacking] = protocol.missing(ratings, finishOf(draft), draft.badKind, draft.badText);
  if (!lacking) return null;
  if (lacking.code === "kind_needed") return "Say what is wrong with the problem.";
  if (lacking.code === "reason_needed") return "Describe briefly what is wrong.";
  return ratings.every((rating) => rating === null)
    ? `Rate ${protocol.words.toRate}${blind ? "" : ", or start from a label"}.`
    : `Rate step ${(lacking.step ?? 0) + 1}.`;
}

/** Return the ruling as it is sent; null while it is incomplete. */
export function sentRuling(draft: RulingDraft): Ruling | null {
  if (rulingLacks(draft) !== null) return null;
  const finish = finishOf(draft);
  const explanation = draft.explanation.trim();
  return {
    ratings: finish === "bad_problem" ? draft.ratings.map(() => null) : [...draft.ratings],
    finish_reason: finish,
    finish_detail: draft.bad ? { kind: draft.badKind as "vague", text: draft.badText.trim() } : {},
    mistake:
      finish === "found_error" && explanation !== "" ? { progress: null, explanation, corrected_step: "" } : null,
    note: draft.note.trim(),
  };
}
