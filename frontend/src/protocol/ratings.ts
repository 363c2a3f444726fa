/**
 * How ratings change under the rules of a protocol, for labels and for rulings alike. A change without effect returns
 * the very same ratings.
 */
import type { Rating } from "@/api/types";
import type { LabelingProtocol, Ratings } from "./interface";

/** May this step be rated? */
export function isRatable(protocol: LabelingProtocol, ratings: Ratings, step: number): boolean {
  return protocol.ratableSteps(ratings).includes(step);
}

/** The step of the error, or -1 if no error is marked. */
export function errorStep(protocol: LabelingProtocol, ratings: Ratings): number {
  return protocol.verdict(ratings, "found_error") ?? -1;
}

/** The ratings that count: those of steps that may not be rated are removed. */
export function counted(protocol: LabelingProtocol, ratings: Ratings): Ratings {
  const ratable = new Set(protocol.ratableSteps(ratings));
  if (ratings.every((rating, step) => rating === null || ratable.has(step))) return ratings;
  return ratings.map((rating, step) => (ratable.has(step) ? rating : null));
}

/** Rate a step, or remove its rating with null. Steps that may no longer be rated lose their rating. */
export function withRating(protocol: LabelingProtocol, ratings: Ratings, step: number, rating: Rating | null): Ratings {
  if (ratings[step] === rating || !isRatable(protocol, ratings, step)) return ratings;
  return counted(protocol, ratings.with(step, rating));
}

/** Rate +1 every unrated step up to this one that may be rated. */
export function goodUpTo(protocol: LabelingProtocol, ratings: Ratings, step: number): Ratings {
  const open = new Set(protocol.ratableSteps(ratings).filter((one) => one <= step && ratings[one] === null));
  return open.size === 0 ? ratings : ratings.map((rating, one) => (open.has(one) ? 1 : rating));
}

/** Put the error at `step`. Earlier −1 ratings are removed if they would leave that step without a rating. */
export function withErrorAt(protocol: LabelingProtocol, ratings: Ratings, step: number): Ratings {
  const before = isRatable(protocol, ratings, step)
    ? ratings
    : ratings.map((rating, one) => (one < step && rating === -1 ? null : rating));
  return counted(protocol, before.with(step, -1));
}

/**
 * Fill in a rating that is not the labeler's own, but only where there is none and where it removes no other rating.
 */
export function filledIn(protocol: LabelingProtocol, ratings: Ratings, step: number, rating: Rating | null): Ratings {
  if (rating === null || ratings[step] !== null || !isRatable(protocol, ratings, step)) return ratings;
  const filled = ratings.with(step, rating);
  return counted(protocol, filled) === filled ? filled : ratings;
}

/** The step to start with: the first unrated step that may be rated, else the last that may be. */
export function firstToRate(protocol: LabelingProtocol, ratings: Ratings): number {
  const ratable = protocol.ratableSteps(ratings);
  return ratable.find((step) => ratings[step] === null) ?? ratable.at(-1) ?? 0;
}

/**
 * The next unrated step after this one that may be rated, continuing from the top after the last; -1 if there is none.
 */
export function nextToRate(protocol: LabelingProtocol, ratings: Ratings, after: number): number {
  const open = protocol.ratableSteps(ratings).filter((step) => ratings[step] === null);
  return open.find((step) => step > after) ?? open[0] ?? -1;
}
