import { rowOf } from "./stepsInSight";

/** A folded part shows the folds inside it only once it is drawn. */
const SETTLED_MS = 400;
/** How many one key opens; the next press opens more. A tree of a million values would block the page for minutes. */
const AT_ONCE = 300;

/**
 * Open everything that is folded in a step, layer by layer; if nothing is folded any more, fold it again. Returns false
 * if the step has nothing to fold.
 */
export function toggleFolds(step: number): boolean {
  const row = rowOf(step);
  const parts = row?.querySelectorAll("details, [data-unfold]") ?? [];
  if (!row || parts.length === 0) return false;
  if (row.querySelector(FOLDED)) {
    let left = AT_ONCE;
    const openMore = () => {
      left -= open(row, left);
    };
    const opening = new MutationObserver(openMore);
    opening.observe(row, { childList: true, subtree: true });
    setTimeout(() => opening.disconnect(), SETTLED_MS);
    openMore();
  } else for (const part of row.querySelectorAll<HTMLDetailsElement>("details:not(details details)")) part.open = false;
  return true;
}

const FOLDED = "details:not([open]), [data-unfold]";

/** Returns how many were opened. */
function open(row: HTMLElement, most: number): number {
  const parts = [...row.querySelectorAll<HTMLElement>(`${FOLDED}:not(:disabled)`)].slice(0, most);
  for (const part of parts) {
    if (part instanceof HTMLDetailsElement) part.open = true;
    else part.click();
  }
  return parts.length;
}
