/** How long somebody has worked without a break. Pure: the clock comes in as an argument. */

export interface Spell {
  since: number;
  /** The last key press or pointer move. */
  last: number;
}

/** Away for so long, and it was a break. */
export const BREAK_MS = 5 * 60_000;
/** Who goes on all the same is asked again after so long. */
const AGAIN_MS = 15 * 60_000;

export function sawWork(spell: Spell | null, now: number): Spell {
  return spell && now - spell.last < BREAK_MS ? { since: spell.since, last: now } : { since: now, last: now };
}

/** Is it time to propose a break? `minutes` 0: never. `askedAt`: when it was proposed last. */
export function restIsDue(spell: Spell | null, minutes: number, askedAt: number | null): boolean {
  if (!spell || minutes === 0 || spell.last - spell.since < minutes * 60_000) return false;
  return askedAt === null || askedAt < spell.since || spell.last - askedAt >= AGAIN_MS;
}

/** This tab's spell, over all its labels. */
export const thisSpell: { spell: Spell | null; askedAt: number | null } = { spell: null, askedAt: null };
