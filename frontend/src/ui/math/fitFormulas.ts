/**
 * Makes sure that no formula or table is cut off without a sign. One that is wider than its column gets, in this order:
 * the room that the page has beside the column (`--beyond`), a smaller size, line breaks at its relations. If it is
 * still wider, it scrolls, with a fade and an arrow (`data-more`). Each is an attribute; the style sheet decides what
 * it looks like.
 */
import { breakAtRelations, unbreak } from "./breakFormula";

const SMALLEST = 0.8;
/** The smallest size with line breaks: better than scrolling for a few pixels. */
const SMALLEST_BROKEN = 0.76;
/**
 * The most elements of a text's wide formulas that are tried in other sizes; the largest real texts have half as many
 * in all.
 */
const MOST_TRIED = 10_000;
/** Different ways of measuring a width round it differently. */
const SLACK_PX = 1;

const watched = new Map<Element, number>();
const FORMULA = ":is([data-formula], [data-table])";

/** Keep the formulas of `root` in their column, even when its width or the fonts change. Returns how to stop. */
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

/**
 * Scroll what is too wide for its place within `container` by 60 % of its visible width; false if nothing is too wide.
 */
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
  // Wait for the next frame: a height that changes while sizes are reported would have to be reported in the same
  // round.
  shared = new ResizeObserver(() => requestAnimationFrame(refitAll));
  return shared;
}

function refitAll(): void {
  for (const root of watched.keys()) refit(root as HTMLElement);
}

/**
 * Fit the formulas of `root` to its width. Content that is not rendered because it is far out of sight is fitted when
 * it comes into sight.
 */
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

/** A short formula within a line is kept together, unless it is wider than the line. */
function isTooLongForOneLine(formula: HTMLElement, room: number): boolean {
  return formula.dataset.formula === "inline" && formula.getBoundingClientRect().width > room + SLACK_PX;
}

/** A formula on its own line counts as a whole; one within a line counts by each piece that cannot be broken. */
function isWider(formula: HTMLElement, room: number): boolean {
  if (formula.dataset.formula !== "inline") return boxOf(formula).scrollWidth > room + SLACK_PX;
  return [...formula.querySelectorAll(".katex-html > .katex-base")].some(
    (base) => base.getBoundingClientRect().width > room + SLACK_PX,
  );
}

/**
 * Make a wide formula fit. With `tries`, sizes and line breaks are tried, for each of which the browser lays it out
 * again; otherwise it scrolls.
 */
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

/** Are line breaks, a smaller size, or both enough? */
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

/** The sides on which there is more to see; at first "right". */
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
