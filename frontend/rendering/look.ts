/** What a reader would miss on a desk. It looks at what is drawn and knows nothing of how that came about. */

import { isTraceable } from "@/ui/math/symbolPlaces";

export interface Finding {
  /** `scrolls` is no fault: it is wider than its place, and says so. */
  kind: "cut" | "scrolls" | "over_the_clock" | "empty_box" | "raw_command" | "refused" | "untraceable" | "lonely_minus";
  /** "problem" or the step's number, from 1. */
  where: string;
  /** What is there, in short. */
  what: string;
}

type Note = (kind: Finding["kind"], what: string) => void;

const RAW_COMMAND = /\\[A-Za-z]+|\\[()[\]{}]|\$\$/;
const AS_WRITTEN = "pre, code, details, .MathText-bad";
const SLACK_PX = 1.5;

export function lookAtDesk(desk: HTMLElement): Finding[] {
  const found: Finding[] = [];
  const region = (element: Element, where: string) =>
    lookAtRegion(element, (kind, what) => found.push({ kind, where, what: what.trim().slice(0, 120) }));
  for (const problem of desk.querySelectorAll("aside")) region(problem, "problem");
  for (const row of desk.querySelectorAll("li[data-step]")) region(row, `${Number(row.getAttribute("data-step")) + 1}`);
  return found;
}

function lookAtRegion(region: Element, note: Note): void {
  for (const text of region.querySelectorAll(".read")) {
    for (const element of outsideOfFormulas(text)) {
      lookForWideBox(element, note);
      lookForEmptyBox(element, note);
      lookForRawCommand(element, note);
    }
    lookForLonelyMinus(text, note);
    for (const formula of text.querySelectorAll("[data-formula]")) {
      if (!isTraceable(formula)) note("untraceable", wordsOf(formula));
    }
    for (const bad of text.querySelectorAll(".MathText-bad")) note("refused", bad.textContent ?? "");
  }
  lookForWhatSticksOut(region, note);
}

const MINUS = /[-−–](?=\s*[\d(])/g;

/** A minus at a line's end whose number begins the next line is read as no sign at all. */
function lookForLonelyMinus(text: Element, note: Note): void {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const place = document.createRange();
  const boxAt = (node: Text, at: number) => {
    place.setStart(node, at);
    place.setEnd(node, at + 1);
    return place.getBoundingClientRect();
  };
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.parentElement?.closest(".katex, pre, code, details")) continue;
    for (const { index } of node.data.matchAll(MINUS)) {
      const next = index + 1 + node.data.slice(index + 1).search(/\S/);
      if (boxAt(node, next).top > boxAt(node, index).bottom - SLACK_PX)
        note("lonely_minus", node.data.slice(Math.max(0, index - 12), next + 6));
    }
  }
}

/** The elements of a text; of a formula only its outermost. */
function outsideOfFormulas(text: Element): Element[] {
  return [text, ...text.querySelectorAll("*")].filter((element) => !element.parentElement?.closest(".katex"));
}

function lookForWideBox(element: Element, note: Note): void {
  if (element.closest(".katex") || element.scrollWidth <= element.clientWidth + SLACK_PX) return;
  if (getComputedStyle(element).overflowX === "visible") return;
  note(saysThereIsMore(element) ? "scrolls" : "cut", wordsOf(element));
}

/** An arrow drawn at the box or around it. */
function saysThereIsMore(element: Element): boolean {
  return [element, element.parentElement].some(
    (one) => one && ["::before", "::after"].some((part) => /[→←]/.test(getComputedStyle(one, part).content)),
  );
}

/** Beyond the right edge of its row or pane, where it lies on something else or is cut by the window; or on the clock. */
function lookForWhatSticksOut(region: Element, note: Note): void {
  const edge = region.getBoundingClientRect().right;
  const clock = region.querySelector("[title='Active time on this step']");
  const clockAt = clock?.textContent ? clock.getBoundingClientRect() : null;
  for (const piece of region.querySelectorAll(".read .katex-base, .read pre, .read code, .read table")) {
    if (piece.parentElement?.closest(".katex-base") || isInScroller(piece, region)) continue;
    const at = piece.getBoundingClientRect();
    if (at.right > edge + SLACK_PX) note("cut", wordsOf(piece));
    else if (clockAt && overlaps(at, clockAt)) note("over_the_clock", wordsOf(piece));
  }
}

function isInScroller(element: Element, region: Element): boolean {
  for (let up: Element | null = element; up && up !== region; up = up.parentElement) {
    if (getComputedStyle(up).overflowX !== "visible") return true;
  }
  return false;
}

function overlaps(one: DOMRect, other: DOMRect): boolean {
  return (
    one.right > other.left + SLACK_PX &&
    one.left < other.right - SLACK_PX &&
    one.bottom > other.top + SLACK_PX &&
    one.top < other.bottom - SLACK_PX
  );
}

function lookForEmptyBox(element: Element, note: Note): void {
  if (element.closest(".katex") || (element.textContent ?? "").trim() !== "") return;
  const { height, width } = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const drawn = Number.parseFloat(style.borderTopWidth) > 0 || style.backgroundColor !== "rgba(0, 0, 0, 0)";
  if (height > 2 && width > 2 && drawn) note("empty_box", element.tagName);
}

function lookForRawCommand(element: Element, note: Note): void {
  if (element.closest(`.katex, ${AS_WRITTEN}`)) return;
  for (const child of element.childNodes) {
    const text = child.nodeType === Node.TEXT_NODE ? (child.nodeValue ?? "") : "";
    const at = text.search(RAW_COMMAND);
    if (at >= 0) note("raw_command", text.slice(Math.max(0, at - 20)));
  }
}

function wordsOf(element: Element): string {
  return (element.querySelector("annotation") ?? element).textContent ?? "";
}
