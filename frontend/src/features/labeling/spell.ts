/** How long a labeler has worked without a break. Pure: the clock is an argument. */

export interface Spell {
  since: number;
  /** The last key press or pointer move. */
  last: number;
}

/** An absence of this length counts as a break. */
export const BREAK_MS = 5 * 60_000;
/** A labeler who carries on is asked again after this time. */
const AGAIN_MS = 15 * 60_000;

export function sawWork(spell: Spell | null, now: number): Spell {
  return spell && now - spell.last < BREAK_MS ? { since: spell.since, last: now } : { since: now, last: now };
}

/** Return whether to propose a break. `minutes` 0 means never; `askedAt` is when it was last proposed. */
export function restIsDue(spell: Spell | null, minutes: number, askedAt: number | null): boolean {
  if (!spell || minutes === 0 || spell.last - spell.since < minutes * 60_000) return false;
  return askedAt === null || askedAt < spell.since || spell.last - askedAt >= AGAIN_MS;
}

/** This tab's spell of work, across all its labels. */
export const thisSpell: { spell: Spell | null; askedAt: number | null } = { spell: null, askedAt: null };
