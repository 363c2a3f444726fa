/** Where the steps are in the window: putting the focus on one, a screen further, what is wider than its place. */
import { scrollFormulas } from "@/ui/math/fitFormulas";

/** Of a screen, so that a line or two of what was seen last is still there. */
const PAGE = 0.86;
/** What lies over the steps on a phone, where the page scrolls as a whole: the header above, the buttons below. */
const PHONE = { above: 96, below: 180 };

export function rowOf(step: number): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-step="${step}"]`);
}

/** The row of a mistake's card that is in hand. */
export const rowInHand = () => document.querySelector<HTMLElement>("[data-candidate][aria-current=true]");

export const stepInFocus = () => document.querySelector<HTMLElement>('[data-step][aria-current="step"]');

/** Where a row is, and between where rows can be seen: below all that lies over them. */
function placeOf(row: HTMLElement) {
  const pane = row.closest<HTMLElement>("section:not(section section)") ?? row;
  const scrolls = pane.scrollHeight > pane.clientHeight + 1;
  const room = scrolls ? pane.getBoundingClientRect() : { top: PHONE.above, bottom: window.innerHeight - PHONE.below };
  const top = room.top + (Number.parseFloat(pane.style.scrollPaddingTop) || 0); // the map of a run lies over its steps
  const at = row.getBoundingClientRect();
  return { scroller: scrolls ? pane : window, top, bottom: room.bottom, at, tall: at.height > room.bottom - top };
}

/** In sight with its beginning, however tall it is: of what is higher up the browser's `nearest` would show the end. */
export function bringIntoSight(row: HTMLElement | null, block: ScrollLogicalPosition = "nearest"): void {
  row?.scrollIntoView({ block });
  if (!row) return;
  const { at, top } = placeOf(row);
  if (at.top < top) row.scrollIntoView({ block: "start" });
}

/** The keyboard for a row, and the eye; where it was pressed, the eye is there already. */
export function goToRow(row: HTMLElement | null): void {
  const pressed = row?.contains(document.activeElement);
  row?.focus({ preventScroll: true });
  if (pressed) row?.scrollIntoView({ block: "nearest" });
  else bringIntoSight(row);
}

/** The same for one that was left for a moment: of one that fills the window the reader finds the line again. */
export function returnToRow(row: HTMLElement | null): void {
  row?.focus({ preventScroll: true });
  if (!row) return;
  const { at, top, bottom, tall } = placeOf(row);
  if (!tall || at.top > top || at.bottom < (top + bottom) / 2) bringIntoSight(row);
}

/** Going back by screens, of a step that is taller than one the last comes first. */
export function showLastScreen(step: number): void {
  const row = rowOf(step);
  if (row && placeOf(row).tall) row.scrollIntoView({ block: "end" });
}

/**
 * Put the keyboard focus on a step's row, wherever it was before: focus is never lost to the page's body. Keys that
 * came before the next frame have gone further: then the focus is where they went.
 */
export function focusStep(step: number): void {
  focusSoon(() => rowInHand() ?? stepInFocus() ?? rowOf(step));
}

/** Once it is drawn; a field that the next key has opened meanwhile keeps the focus. */
export function focusSoon(find: () => HTMLElement | null): void {
  const from = document.activeElement;
  requestAnimationFrame(() => {
    const now = document.activeElement;
    if (now !== from && now?.matches("input, textarea")) return;
    returnToRow(find());
  });
}

/** The step a screen away from this one; null where the step itself goes on beyond the screen, which then shows that. */
export function stepAPageAway(from: number, direction: 1 | -1): number | null {
  const row = rowOf(from);
  if (!row) return null;
  const { scroller, top, bottom, at } = placeOf(row);
  const screen = (bottom - top) * PAGE;
  const beyond = direction > 0 ? at.bottom - bottom : top - at.top;
  if (beyond > 4) {
    scroller.scrollBy({ top: direction * Math.min(screen, beyond + 12) });
    return null;
  }
  let step = from + direction;
  while (isWithin(step + direction, at, direction, screen)) step += direction;
  return rowOf(step) ? step : from;
}

function isWithin(step: number, from: DOMRect, direction: 1 | -1, screen: number): boolean {
  const at = rowOf(step)?.getBoundingClientRect();
  return at !== undefined && (direction > 0 ? at.bottom - from.top : from.bottom - at.top) <= screen;
}

/** The wide formulas of the step; where it has none, those of the problem. */
export function scrollWide(step: number, direction: 1 | -1): void {
  const row = rowOf(step);
  if (row && scrollFormulas(row, direction)) return;
  const problem = document.querySelector("aside");
  if (problem) scrollFormulas(problem, direction);
}

/** The problem scrolls on its own: while it has the focus, the keys for that are its. */
export function isForTheProblem(event: KeyboardEvent): boolean {
  const scrolls = /^(Home|End|PageUp|PageDown)$/.test(event.key);
  return scrolls && event.target instanceof Element && event.target.closest("aside") !== null;
}

/** To the first thing that can be said of the run as a whole, under its last step. */
export function focusRunMarks(): void {
  document.querySelector<HTMLElement>("[data-run-marks] select")?.focus();
}
