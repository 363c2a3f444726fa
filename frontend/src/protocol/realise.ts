/** "I just realised": a cursor over the steps before the current one. Keys move it, typed digits jump. Pure. */
import { commands } from "./commands";
import type { Draft } from "./draft";
import { commandFor, type KeyChoices } from "./keyMap";
import { withErrorAt } from "./ratings";

export interface Cursor {
  /** The step at which the labeler realised; steps count from 0. */
  noticedAt: number;
  /** The step that would be the first wrong one. */
  candidate: number;
  /** The digits typed so far; any other key clears them. */
  typed: string;
}

/** The result of a key: the moved cursor, or how the choice ended. */
export type Realised = Cursor | "taken" | "left";

/**
 * Steps that the keys for a screen move. How much a screen shows is not known here; the cursor is always in its middle.
 */
const SCREEN = 8;

export function startRealising(noticedAt: number): Cursor {
  return { noticedAt, candidate: noticedAt - 1, typed: "" };
}

export function cursorAt(cursor: Cursor, step: number): Cursor {
  return { ...cursor, candidate: Math.max(0, Math.min(cursor.noticedAt - 1, step)), typed: "" };
}

/**
 * "3" goes to step 3, "38" to step 38. If the number is not an earlier step, only its last digit counts; if that is not
 * one either, the digits are cleared.
 */
export function cursorTyped(cursor: Cursor, typed: string): Cursor {
  const isEarlier = (digits: string) => /^[1-9]\d*$/.test(digits) && Number(digits) <= cursor.noticedAt;
  const digits = [typed, typed.slice(-1)].find(isEarlier);
  return digits ? { ...cursor, candidate: Number(digits) - 1, typed: digits } : { ...cursor, typed: "" };
}

/** The steps that would lose their rating if the error were at the cursor. */
export function ratingsTakenBack({ protocol, content }: Draft, { candidate }: Cursor): number[] {
  const after = withErrorAt(protocol, content.ratings, candidate);
  return content.ratings.flatMap((rating, step) => (rating !== null && after[step] === null ? [step] : []));
}

/** Apply a key to the cursor; the person's own keys for moving and submitting work here too. */
export function pressWhileRealising(cursor: Cursor, key: string, held: boolean, choices: KeyChoices): Realised {
  const moved = moveOf(cursor, key, choices);
  if (moved) return moved;
  if (held) return cursor;
  if (/^\d$/.test(key)) return cursorTyped(cursor, cursor.typed + key);
  if (key === "backspace") return cursorTyped(cursor, cursor.typed.slice(0, -1));
  if (key === "escape") return "left";
  switch (commandFor(commands, key, choices)?.name) {
    case "submit":
    case "rate_minus":
    case "rate_plus":
      return "taken";
    case "realise":
    case "undo":
      return "left";
    default:
      return cursor;
  }
}

function moveOf(cursor: Cursor, key: string, choices: KeyChoices): Cursor | null {
  switch (commandFor(commands, key, choices)?.name) {
    case "previous_step":
      return cursorAt(cursor, cursor.candidate - 1);
    case "next_step":
      return cursorAt(cursor, cursor.candidate + 1);
    case "page_up":
      return cursorAt(cursor, cursor.candidate - SCREEN);
    case "page_down":
      return cursorAt(cursor, cursor.candidate + SCREEN);
    case "first_step":
      return cursorAt(cursor, 0);
    case "last_step":
      return cursorAt(cursor, cursor.noticedAt - 1);
    default:
      return null;
  }
}
