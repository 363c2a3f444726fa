/** How text is copied: each formula once, as its TeX, instead of the pieces that are drawn. */

const BLOCK = "div, p, li, tr, pre, h1, h2, h3, hr, [data-formula='display'], [data-table]";

/** Handle the copying of anything that contains a formula, and leave the rest to the browser. Returns how to stop. */
export function copyFormulasAsTex(): () => void {
  const copied = (event: ClipboardEvent) => {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !event.clipboardData || isTyped(event.target)) return;
    const range = wholeFormulas(selection.getRangeAt(0).cloneRange());
    const fragment = range.cloneContents();
    const inside = formulaAround(range.commonAncestorContainer);
    if (!inside && !fragment.querySelector("[data-tex]")) return;
    event.clipboardData.setData("text/plain", inside?.dataset.tex ?? textOf(fragment));
    event.preventDefault();
  };
  document.addEventListener("copy", copied);
  return () => document.removeEventListener("copy", copied);
}

function isTyped(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, [contenteditable]");
}

function formulaAround(node: Node): HTMLElement | null {
  return (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>("[data-tex]") ?? null;
}

/** Extend a selection to whole formulas: one that is partly selected is copied whole. */
function wholeFormulas(range: Range): Range {
  const [first, last] = [formulaAround(range.startContainer), formulaAround(range.endContainer)];
  if (first && first === last) range.selectNode(first);
  else {
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
  }
  return range;
}

const PARAGRAPH = "\u2029";

/** The text with a new line for each block, an empty line between paragraphs, and formulas as they were written. */
export function textOf(node: Node): string {
  return lines(node)
    .replace(/(?<![ \t])[ \t]*\n[ \t]*\n[ \t\n]*/g, "\n")
    .replace(/(?<!\s)\s*\u2029\s*/g, "\n\n")
    .trim();
}

function lines(node: Node): string {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element)) return [...node.childNodes].map(lines).join("");
  if (node.matches("[data-gap]")) return PARAGRAPH;
  const tex = node.getAttribute("data-tex");
  const inner = tex ?? (node.matches("br") ? "\n" : [...node.childNodes].map(lines).join(""));
  return node.matches(BLOCK) ? `\n${inner}\n` : inner;
}
