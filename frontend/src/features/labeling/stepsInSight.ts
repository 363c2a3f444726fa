/** Where the steps are in the window: focusing a step, moving by a screen, scrolling what is too wide. */
import { scrollFormulas } from "@/ui/math/fitFormulas";

/** The part of a screen to move by, so that a line or two of what was seen last stays. */
const PAGE = 0.86;
/** What covers the steps on a phone, where the page scrolls as a whole: the header above, the buttons below. */
const PHONE = { above: 96, below: 180 };

export function rowOf(step: number): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-step="${step}"]`);
}

/** The row of a mistake's card that is in hand. */
export const rowInHand = () => document.querySelector<HTMLElement>("[data-candidate][aria-current=true]");

export const stepInFocus = () => document.querySelector<HTMLElement>('[data-step][aria-current="step"]');

/** Return where a row is, and the area in which rows are visible: below everything that covers them. */
function placeOf(row: HTMLElement) {
  const pane = row.closest<HTMLElement>("section:not(section section)") ?? row;
  const scrolls = pane.scrollHeight > pane.clientHeight + 1;
  const room = scrolls ? pane.getBoundingClientRect() : { top: PHONE.above, bottom: window.innerHeight - PHONE.below };
  const top = room.top + (Number.parseFloat(pane.style.scrollPaddingTop) || 0); // the map of a run covers its steps
  const at = row.getBoundingClientRect();
  return { scroller: scrolls ? pane : window, top, bottom: room.bottom, at, tall: at.height > room.bottom - top };
}

/** Bring a row into sight by its beginning, however tall it is. For a row above, `nearest` would show its end. */
export function bringIntoSight(row: HTMLElement | null, block: ScrollLogicalPosition = "nearest"): void {
  row?.scrollIntoView({ block });
  if (!row) return;
  const { at, top } = placeOf(row);
  if (at.top < top) row.scrollIntoView({ block: "start" });
}

/** Move the keyboard focus and the view to a row. If it was clicked, it is already in view. */
export function goToRow(row: HTMLElement | null): void {
  const pressed = row?.contains(document.activeElement);
  row?.focus({ preventScroll: true });
  if (pressed) row?.scrollIntoView({ block: "nearest" });
  else bringIntoSight(row);
}

/** Return to a row that was left for a moment. If it fills the window, its scroll position is kept. */
export function returnToRow(row: HTMLElement | null): void {
  row?.focus({ preventScroll: true });
  if (!row) return;
  const { at, top, bottom, tall } = placeOf(row);
  if (!tall || at.top > top || at.bottom < (top + bottom) / 2) bringIntoSight(row);
}

/** When moving back by screens, show the last screen of a step taller than one. */
export function showLastScreen(step: number): void {
  const row = rowOf(step);
  if (row && placeOf(row).tall) row.scrollIntoView({ block: "end" });
}

/**
 * Put the keyboard focus on a step's row wherever it was before, so it never falls to the page's body. If keys pressed
 * before the next frame have moved on, the focus follows them.
 */
export function focusStep(step: number): void {
  focusSoon(() => rowInHand() ?? stepInFocus() ?? rowOf(step));
}

/** Focus an element once it is drawn, unless the next key has opened a field in the meantime. */
export function focusSoon(find: () => HTMLElement | null): void {
  const from = document.activeElement;
  requestAnimationFrame(() => {
    const now = document.activeElement;
    if (now !== from && now?.matches("input, textarea")) return;
    returnToRow(find());
  });
}

/** Return the step one screen away. Return null if the step itself continues beyond the screen, after scrolling it. */
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

/** Scroll the wide formulas of the step or, if it has none, those of the problem. */
export function scrollWide(step: number, direction: 1 | -1): void {
  const row = rowOf(step);
  if (row && scrollFormulas(row, direction)) return;
  const problem = document.querySelector("aside");
  if (problem) scrollFormulas(problem, direction);
}

/** Return whether a key is for scrolling the problem: it scrolls on its own while it has the focus. */
export function isForTheProblem(event: KeyboardEvent): boolean {
  const scrolls = /^(Home|End|PageUp|PageDown)$/.test(event.key);
  return scrolls && event.target instanceof Element && event.target.closest("aside") !== null;
}

/** Focus the first field about the run as a whole, under its last step. */
export function focusRunMarks(): void {
  document.querySelector<HTMLElement>("[data-run-marks] select")?.focus();
}
