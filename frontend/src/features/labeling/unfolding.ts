import { rowOf } from "./stepsInSight";

/** What is folded shows what is folded in it only once it is drawn. */
const SETTLED_MS = 400;

/** Open all that is folded in a step, layer by layer; where nothing is folded any more, fold it again. False: it has nothing of the kind. */
export function toggleFolds(step: number): boolean {
  const row = rowOf(step);
  const parts = row?.querySelectorAll("details, [data-unfold]") ?? [];
  if (!row || parts.length === 0) return false;
  if (row.querySelector(FOLDED)) {
    const opening = new MutationObserver(() => open(row));
    opening.observe(row, { childList: true, subtree: true });
    setTimeout(() => opening.disconnect(), SETTLED_MS);
    open(row);
  } else for (const part of row.querySelectorAll<HTMLDetailsElement>("details:not(details details)")) part.open = false;
  return true;
}

const FOLDED = "details:not([open]), [data-unfold]";

function open(row: HTMLElement): void {
  for (const part of row.querySelectorAll<HTMLElement>(FOLDED)) {
    if (part instanceof HTMLDetailsElement) part.open = true;
    else if (!(part as HTMLButtonElement).disabled) part.click();
  }
}
