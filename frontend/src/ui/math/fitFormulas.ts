/**
 * No formula, and no table, is cut without a sign. One that is wider than its column gets, in this order: the room that the page has beside
 * the column (`--beyond`), a smaller size, line breaks at its relations; if it is still wider it scrolls, with a fade and an
 * arrow (`data-more`). Each is an attribute; what it looks like is the style sheet's business.
 */
import { breakAtRelations, unbreak } from "./breakFormula";

const SMALLEST = 0.8;
/** Rather than scroll for a few pixels. */
const SMALLEST_BROKEN = 0.76;
/** Elements of a text's wide formulas that are tried in other sizes; the largest of real texts have half as many in all. */
const MOST_TRIED = 10_000;
/** Widths are rounded differently by different measures. */
const SLACK_PX = 1;

const watched = new Map<Element, number>();
const FORMULA = ":is([data-formula], [data-table])";

/** Keep the formulas of `root` in their column, also when its width or the fonts change. Returns the end of it. */
export function watchFormulas(root: HTMLElement): () => void {
  if (typeof ResizeObserver === "undefined") return () => undefined;
  watched.set(root, Number.NaN);
  refit(root);
  widths().observe(root);
  root.addEventListener("scroll", showMore, true);
  return () => {
    watched.delete(root);
    widths().unobserve(root);
    root.removeEventListener("scroll", showMore, true);
  };
}

/** Scroll what is wider than its place within `container` by half a page; false when nothing is. */
export function scrollFormulas(container: Element, direction: 1 | -1): boolean {
  const wide = [...container.querySelectorAll(`${FORMULA}[data-more] > *`)];
  for (const box of wide) box.scrollBy({ left: direction * box.clientWidth * 0.6 });
  return wide.length > 0;
}

let shared: ResizeObserver | null = null;

function widths(): ResizeObserver {
  if (shared) return shared;
  document.fonts?.addEventListener("loadingdone", () => {
    for (const root of watched.keys()) watched.set(root, Number.NaN);
    refitAll();
  });
  // In the next frame: a height that changes while sizes are being told would have to be told in the same round.
  shared = new ResizeObserver(() => requestAnimationFrame(refitAll));
  return shared;
}

function refitAll(): void {
  for (const root of watched.keys()) refit(root as HTMLElement);
}

/** What is not drawn, because it is far out of sight, has its turn when it comes into sight. */
function refit(root: HTMLElement): void {
  if (root.checkVisibility?.({ contentVisibilityAuto: true }) === false) return;
  const width = root.clientWidth;
  if (width === 0 || watched.get(root) === width) return;
  watched.set(root, width);
  const formulas = [...root.querySelectorAll<HTMLElement>(FORMULA)];
  for (const formula of formulas) release(formula);
  for (const formula of formulas.filter((one) => isTooLongForOneLine(one, width))) formula.dataset.loose = "";
  const wide = formulas.filter((formula) => isWider(formula, width));
  if (wide.length === 0) return;
  const beyond = Number.parseFloat(getComputedStyle(root).getPropertyValue("--beyond")) || 0;
  let left = MOST_TRIED;
  for (const formula of wide) {
    left -= formula.getElementsByTagName("*").length;
    squeeze(formula, width, width + beyond, left > 0);
  }
}

function boxOf(formula: HTMLElement): HTMLElement {
  return formula.firstElementChild as HTMLElement;
}

function release(formula: HTMLElement): void {
  delete formula.dataset.loose;
  if (formula.dataset.wide === undefined) return;
  for (const name of ["wide", "beyond", "broken", "more"]) delete formula.dataset[name];
  formula.style.removeProperty("font-size");
  boxOf(formula).removeAttribute("tabindex");
  unbreak(formula);
}

/** A short formula in a line is kept together, unless the line is shorter still. */
function isTooLongForOneLine(formula: HTMLElement, room: number): boolean {
  return formula.dataset.formula === "inline" && formula.getBoundingClientRect().width > room + SLACK_PX;
}

/** On a line of its own: all of it. In a line: a piece of it that cannot be broken. */
function isWider(formula: HTMLElement, room: number): boolean {
  if (formula.dataset.formula !== "inline") return boxOf(formula).scrollWidth > room + SLACK_PX;
  return [...formula.querySelectorAll(".katex-html > .katex-base")].some(
    (base) => base.getBoundingClientRect().width > room + SLACK_PX,
  );
}

/** `tries`: sizes and line breaks, for each of which the browser lays it out anew; else it scrolls. */
function squeeze(formula: HTMLElement, column: number, room: number, tries: boolean): void {
  const box = boxOf(formula);
  formula.dataset.wide = "";
  const natural = box.scrollWidth;
  if (natural <= column + SLACK_PX) return;
  if (room > column) formula.dataset.beyond = "";
  if (natural <= room + SLACK_PX) return;
  if (tries && room / natural >= SMALLEST) {
    formula.style.fontSize = `${Math.floor((100 * room) / natural)}%`;
    return;
  }
  if (tries && fits(formula, box)) return;
  box.tabIndex = 0;
  formula.dataset.more = sidesOf(box);
}

/** Whether line breaks, a smaller size, or both are enough. */
function fits(formula: HTMLElement, box: HTMLElement): boolean {
  if (formula.dataset.table === undefined && breakAtRelations(formula)) formula.dataset.broken = "";
  if (!overflows(box)) return true;
  formula.style.fontSize = `${100 * SMALLEST}%`;
  if (!overflows(box)) return true;
  const fitting = (SMALLEST * box.clientWidth) / box.scrollWidth;
  if (fitting < SMALLEST_BROKEN) return false;
  formula.style.fontSize = `${Math.floor(100 * fitting)}%`;
  return !overflows(box);
}

function overflows(box: HTMLElement): boolean {
  return box.scrollWidth > box.clientWidth + SLACK_PX;
}

/** Where there is more to see: "right" at first. */
function sidesOf(box: HTMLElement): string {
  const left = box.scrollLeft > SLACK_PX;
  const right = box.scrollLeft + box.clientWidth < box.scrollWidth - SLACK_PX;
  return [left ? "left" : "", right ? "right" : ""].join(" ").trim();
}

function showMore(event: Event): void {
  const box = event.target as HTMLElement;
  const formula = box.parentElement;
  if (formula?.dataset.more !== undefined) formula.dataset.more = sidesOf(box);
}
