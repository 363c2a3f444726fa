import type { Ruling } from "@/api/reviewTypes";

/** A reviewer's own label while it is made. */
export interface RulingDraft {
  ratings: (number | null)[];
  bad: boolean;
  badKind: string;
  badText: string;
  explanation: string;
  note: string;
}

export function emptyRuling(steps: number): RulingDraft {
  return { ratings: Array(steps).fill(null), bad: false, badKind: "", badText: "", explanation: "", note: "" };
}

/** Give a step a rating. Nothing is rated after the first −1, as in every label. */
export function rateStep(draft: RulingDraft, step: number, rating: number): RulingDraft {
  const ratings = draft.ratings.map((given, index) => {
    if (index === step) return rating;
    return rating === -1 && index > step ? null : given;
  });
  return { ...draft, ratings, bad: false };
}

/** The first step that the draft calls wrong; -1 where it calls none so. */
export function firstError({ ratings }: RulingDraft): number {
  return ratings.indexOf(-1);
}

/** Take a step's rating back. */
export function clearStep(draft: RulingDraft, step: number): RulingDraft {
  return { ...draft, ratings: draft.ratings.map((given, index) => (index === step ? null : given)) };
}

/** Begin with what one said before. */
export function reopened(review: Ruling, steps: number): RulingDraft {
  const { ratings, finish_reason, finish_detail, mistake, note } = review;
  return {
    ratings: Array.from({ length: steps }, (_, step) => ratings[step] ?? null),
    bad: finish_reason === "bad_problem",
    badKind: finish_detail?.kind ?? "",
    badText: finish_detail?.text ?? "",
    explanation: mistake?.explanation ?? "",
    note: note ?? "",
  };
}

/** Begin with what a label says. */
export function startFrom(draft: RulingDraft, ratings: (number | null)[]): RulingDraft {
  const error = ratings.indexOf(-1);
  return {
    ...draft,
    bad: false,
    ratings: draft.ratings.map((_, step) => (error >= 0 && step > error ? null : (ratings[step] ?? null))),
  };
}

/** What is still missing; null where the ruling can be sent. `blind`: no label is shown that one could start from. */
export function rulingLacks(draft: RulingDraft, blind = false): string | null {
  if (draft.bad) {
    if (draft.badKind === "") return "Say what is wrong with the problem.";
    return draft.badText.trim() === "" ? "Say in a few words what is wrong." : null;
  }
  const error = draft.ratings.indexOf(-1);
  const until = error < 0 ? draft.ratings.length : error;
  const unrated = draft.ratings.findIndex((rating, step) => step < until && rating === null);
  if (unrated < 0) return null;
  return draft.ratings.every((rating) => rating === null)
    ? `Rate the steps up to the first error${blind ? "" : ", or start from a label"}.`
    : `Rate step ${unrated + 1}.`;
}

/** The ruling as it is sent; null while it is not complete. */
export function sentRuling(draft: RulingDraft): Ruling | null {
  if (rulingLacks(draft) !== null) return null;
  const note = draft.note.trim();
  if (draft.bad) {
    return {
      ratings: draft.ratings.map(() => null),
      finish_reason: "bad_problem",
      finish_detail: { kind: draft.badKind as "vague", text: draft.badText.trim() },
      mistake: null,
      note,
    };
  }
  const found = draft.ratings.includes(-1);
  const explanation = draft.explanation.trim();
  return {
    ratings: draft.ratings as Ruling["ratings"],
    finish_reason: found ? "found_error" : "solution",
    finish_detail: {},
    mistake: found && explanation !== "" ? { progress: null, explanation } : null,
    note,
  };
}
