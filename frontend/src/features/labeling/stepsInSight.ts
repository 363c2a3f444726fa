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
    find()?.focus({ preventScroll: true });
    find()?.scrollIntoView({ block: "nearest" });
  });
}

/** The step a screen away from this one; null where the step itself goes on beyond the screen, which then shows that. */
export function stepAPageAway(from: number, direction: 1 | -1): number | null {
  const row = rowOf(from);
  if (!row) return null;
  const pane = row.closest("section") ?? row;
  const scrolls = pane.scrollHeight > pane.clientHeight + 1;
  const { top: above, bottom } = scrolls
    ? pane.getBoundingClientRect()
    : { top: PHONE.above, bottom: window.innerHeight - PHONE.below };
  const top = above + (Number.parseFloat(pane.style.scrollPaddingTop) || 0); // the map of a run lies over its steps
  const screen = (bottom - top) * PAGE;
  const at = row.getBoundingClientRect();
  const beyond = direction > 0 ? at.bottom - bottom : top - at.top;
  if (beyond > 4) {
    (scrolls ? pane : window).scrollBy({ top: direction * Math.min(screen, beyond + 12) });
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
