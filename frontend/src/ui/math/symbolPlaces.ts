/** Where symbols are in what is drawn: as ranges of the page's text, which can be marked without changing the page. */
import { shownTex, type TexSymbol, texSymbols } from "./texSymbols";
import { wordSymbols } from "./wordSymbols";

export interface SymbolPlace {
  key: string;
  /** TeX to show the symbol; null if it is plain text. */
  tex: string | null;
  /** The characters that show it; more than one range if KaTeX sets its parts apart. */
  ranges: () => Range[];
}

/** The symbols of everything drawn within `root`, in order; with `wanted`, only the places of that symbol. */
export function symbolPlaces(root: Element, wanted: string | null = null): SymbolPlace[] {
  const places: SymbolPlace[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (!(node instanceof Element)) return NodeFilter.FILTER_ACCEPT;
    if (node.matches(".katex-mathml, [data-not-read]")) return NodeFilter.FILTER_REJECT;
    if (!node.matches("[data-formula]")) return NodeFilter.FILTER_SKIP;
    places.push(...placesInFormula(node, wanted));
    return NodeFilter.FILTER_REJECT;
  });
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    places.push(...placesInWords(node as Text, wanted));
  return places;
}

function placesInWords(node: Text, wanted: string | null): SymbolPlace[] {
  const code = node.parentElement?.closest("pre, code") !== null;
  const found = wordSymbols(node.data, code);
  return found
    .filter(({ key }) => wanted === null || key === wanted)
    .map(({ key, start, end }) => ({ key, tex: null, ranges: () => [rangeOf(node, start, node, end)] }));
}

function placesInFormula(formula: Element, wanted: string | null): SymbolPlace[] {
  const tex = formula.querySelector("annotation")?.textContent ?? "";
  if (wanted !== null && !mayHold(tex, wanted)) return [];
  const { symbols } = texSymbols(tex);
  return symbols
    .filter(({ key }) => wanted === null || key === wanted)
    .map((symbol) => ({ key: symbol.key, tex: symbol.tex, ranges: () => rangesIn(formula, tex, symbol) }));
}

/** A cheap check whether the formula is worth parsing. */
function mayHold(tex: string, key: string): boolean {
  if (key.startsWith("0.")) return tex.includes(".");
  if (/^\d/.test(key)) return tex.includes(key[0] ?? "");
  const base = /[A-Za-z]+/.exec(key.replace(/^\\math[a-z]+\{/, ""))?.[0] ?? key;
  return tex.includes(base);
}

/** Can each letter and digit of the formula be located in what is drawn? */
export function isTraceable(formula: Element): boolean {
  const tex = formula.querySelector("annotation")?.textContent ?? "";
  const { leaves } = texSymbols(tex);
  const { text, at } = shownTex(tex, formula.getAttribute("data-formula") === "display");
  const drawn = formula.querySelector(".katex-html")?.textContent ?? "";
  return leaves.length === 0 || (text === drawn && leaves.every(({ start }) => at.has(start)));
}

function rangesIn(formula: Element, tex: string, symbol: TexSymbol): Range[] {
  const shown = shownTex(tex, formula.getAttribute("data-formula") === "display");
  const letters = new Letters(formula.querySelector(".katex-html"));
  if (letters.text !== shown.text) return []; // KaTeX set it differently: better no mark than a wrong one
  const { leaves } = texSymbols(tex);
  return symbol.leaves.flatMap((leaf) => {
    const [from, length] = shown.at.get(leaves[leaf]?.start ?? -1) ?? [0, 0];
    return length > 0 ? [letters.range(from, from + length)] : [];
  });
}

/** The characters of a formula across the many elements that KaTeX makes of it. */
class Letters {
  readonly text: string;
  private readonly nodes: { node: Text; from: number }[] = [];

  constructor(html: Element | null) {
    let text = "";
    if (html) {
      const walker = document.createTreeWalker(html, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        this.nodes.push({ node: node as Text, from: text.length });
        text += (node as Text).data;
      }
    }
    this.text = text;
  }

  range(start: number, end: number): Range {
    const [from, to] = [this.nodeAt(start), this.nodeAt(end - 1)];
    return rangeOf(from.node, start - from.from, to.node, end - to.from);
  }

  private nodeAt(place: number): { node: Text; from: number } {
    const found = this.nodes.findLast(({ from }) => from <= place);
    if (!found) throw new RangeError(`A formula has no character ${place}.`);
    return found;
  }
}

function rangeOf(first: Text, start: number, last: Text, end: number): Range {
  const range = document.createRange();
  range.setStart(first, start);
  range.setEnd(last, end);
  return range;
}
