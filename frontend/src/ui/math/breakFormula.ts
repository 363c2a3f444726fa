/** Line breaks in a formula that KaTeX has set: before its relations and, if that is not enough, at its operators. */

/** The formulas as KaTeX set them, to restore when there is enough room again. */
const asSet = new WeakMap<Element, Node>();

/**
 * Wrap what is between two relations in a span that stays on one line if it can. False if there is no place to break.
 */
export function breakAtRelations(formula: HTMLElement): boolean {
  const html = formula.querySelector(".katex-html");
  const bases = html ? [...html.children].filter((child) => child.classList.contains("katex-base")) : [];
  const last = bases.at(-1);
  if (!html || !last || bases.length < 2 || html.children.length !== bases.length) return false;
  asSet.set(formula, html.cloneNode(true));
  let piece = newPiece(html, last.nextSibling);
  for (const [index, base] of bases.entries()) {
    piece.append(base);
    const next = bases[index + 1];
    const relation = next && !startsWithRelation(next) ? relationAtEnd(base) : [];
    if (!next || relation.length === 0) continue;
    strutOf(next).after(...relation);
    piece = newPiece(html, null);
  }
  return true;
}

export function unbreak(formula: HTMLElement): void {
  const kept = asSet.get(formula);
  if (!kept) return;
  formula.querySelector(".katex-html")?.replaceWith(kept);
  asSet.delete(formula);
}

function newPiece(html: Element, before: Node | null): HTMLElement {
  const piece = document.createElement("span");
  piece.dataset.piece = "";
  html.insertBefore(piece, before);
  return piece;
}

/** The strut that KaTeX puts at the start of each piece to give it its height. */
function strutOf(base: Element): Element {
  return base.firstElementChild as Element;
}

function startsWithRelation(base: Element): boolean {
  return strutOf(base).nextElementSibling?.classList.contains("mrel") ?? false;
}

/** The relation that ends this piece, with the space after it; the space before it is not needed at the start of a line. */
function relationAtEnd(base: Element): Element[] {
  const parts = [...base.children];
  let from = parts.length;
  while (from > 0 && parts[from - 1]?.classList.contains("mspace")) from -= 1;
  if (!parts[from - 1]?.classList.contains("mrel")) return [];
  return parts.slice(from - 1);
}
