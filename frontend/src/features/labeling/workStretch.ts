/** How long a labeler has worked without a break. Pure: the clock is an argument. */

export interface WorkStretch {
  since: number;
  /** The last key press or pointer move. */
  last: number;
}

/** An absence of this length counts as a break. */
export const BREAK_MS = 5 * 60_000;
/** A labeler who carries on is asked again after this time. */
const AGAIN_MS = 15 * 60_000;

export function extendStretch(stretch: WorkStretch | null, now: number): WorkStretch {
  return stretch && now - stretch.last < BREAK_MS ? { since: stretch.since, last: now } : { since: now, last: now };
}

/** Return whether to propose a break. `minutes` 0 means never; `askedAt` is when it was last proposed. */
export function restIsDue(stretch: WorkStretch | null, minutes: number, askedAt: number | null): boolean {
  if (!stretch || minutes === 0 || stretch.last - stretch.since < minutes * 60_000) return false;
  return askedAt === null || askedAt < stretch.since || stretch.last - askedAt >= AGAIN_MS;
}

/** This tab's stretch of work, across all its labels. */
export const thisTab: { stretch: WorkStretch | null; askedAt: number | null } = { stretch: null, askedAt: null };
