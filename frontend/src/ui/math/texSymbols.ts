/**
 * The symbols of a formula by their places in its source, and where KaTeX's markup shows them. KaTeX's parser gives the
 * place of each letter and digit; its markup does not. So the formula is set a second time, unseen, with each of them
 * in a colour of its own. The characters of both markups are the same, in the same order, and the colours identify
 * them.
 */
import katex from "katex";
import { TEX_OPTIONS } from "./renderTex";

/** A letter with its font and index, a number, or a fraction of numbers. */
export interface TexSymbol {
  /** Equal for equal symbols: "x", "r_1", "\\alpha", "706", "9/4". */
  key: string;
  /** TeX to show it. */
  tex: string;
  /** Indexes of the letters and digits that make it up. */
  leaves: readonly number[];
}

interface Leaf {
  start: number;
  end: number;
}

interface ParsedTex {
  symbols: readonly TexSymbol[];
  leaves: readonly Leaf[];
}

interface ParseNode {
  type: string;
  mode?: string;
  text?: string;
  font?: string;
  loc?: { start: number; end: number; lexer: { input: string } };
  base?: ParseNode | null;
  sub?: ParseNode | null;
  sup?: ParseNode | null;
  numer?: ParseNode;
  denom?: ParseNode;
}

interface MarkupNode {
  text?: string;
  style?: { color?: string };
  children?: MarkupNode[];
}

interface KatexInternals {
  __parse: (tex: string, options: object) => ParseNode[];
  __renderToHTMLTree: (tex: string, options: object) => MarkupNode;
}

const { __parse: parse, __renderToHTMLTree: toTree } = katex as unknown as KatexInternals;
const LETTER = /^(?:\p{L}|\\[A-Za-z]+)$/u;
const NUMBER = /\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+/g;
const FRACTION = /(?<![\d./])(\d+)\/(\d+)(?![\d./])/g;
const MAX_CACHED = 2_000;
const NOTHING: ParsedTex = { symbols: [], leaves: [] };
const parsed = new Map<string, ParsedTex>();

/** The symbols of a formula in the order of its source; empty for TeX that KaTeX refuses. */
export function texSymbols(tex: string): ParsedTex {
  const known = parsed.get(tex);
  if (known) return known;
  const found = parseSymbols(tex);
  parsed.set(tex, found);
  if (parsed.size > MAX_CACHED) parsed.delete(parsed.keys().next().value ?? "");
  return found;
}

function parseSymbols(tex: string): ParsedTex {
  try {
    const reader = new Reader(tex);
    reader.readList(parse(tex, TEX_OPTIONS()), "");
    return { symbols: reader.symbols.toSorted((a, b) => reader.startOf(a) - reader.startOf(b)), leaves: reader.leaves };
  } catch {
    return NOTHING; // such a formula is shown as its source, which counts as words
  }
}

/** A number in the form used for comparison: without the signs that group its digits. */
export function numberKey(number: string): string {
  return number.replace(/,/g, "").replace(/^\./, "0.");
}

class Reader {
  readonly symbols: TexSymbol[] = [];
  readonly leaves: Leaf[] = [];

  constructor(private readonly tex: string) {}

  startOf(symbol: TexSymbol): number {
    return this.leaves[symbol.leaves[0] ?? 0]?.start ?? 0;
  }

  /** Read nodes that are next to each other: adjacent digits are one number. */
  readList(nodes: readonly ParseNode[], font: string): void {
    let digits = "";
    const of: number[] = [];
    for (const node of nodes) {
      const head = node.type === "supsub" ? node.base : node;
      const sign = this.signOf(head);
      digits += sign;
      of.push(/\d/.test(sign) ? this.addLeaf(head as ParseNode) : -1);
      if (sign === " ") this.read(node, font);
      else if (node.type === "supsub") {
        digits += " ";
        of.push(-1);
        this.readParts(node, font);
      }
    }
    this.addNumbers(digits, of);
  }

  private addNumbers(digits: string, of: readonly number[]): void {
    const leavesOf = (at: number, length: number) => of.slice(at, at + length).filter((leaf) => leaf >= 0);
    for (const match of digits.matchAll(NUMBER)) {
      const [number] = match;
      this.symbols.push({ key: numberKey(number), tex: number, leaves: leavesOf(match.index, number.length) });
    }
    for (const match of digits.matchAll(FRACTION)) {
      const [fraction] = match;
      this.symbols.push({ key: fraction, tex: fraction, leaves: leavesOf(match.index, fraction.length) });
    }
  }

  /** A digit, or a sign that may occur within a number; a space for everything else. */
  private signOf(node: ParseNode | null | undefined): string {
    if (this.isGroupedComma(node)) return ",";
    if (!node || !this.isOwn(node)) return " ";
    if (node.type === "textord" && /^[\d./]$/.test(node.text ?? "")) return node.text ?? " ";
    return node.type === "atom" && node.text === "," ? "," : " ";
  }

  /** Is it `{,}`, with which careful writers group digits? */
  private isGroupedComma(node: ParseNode | null | undefined): boolean {
    return node?.type === "ordgroup" && node.loc?.lexer.input.slice(node.loc.start, node.loc.end) === "{,}";
  }

  private read(node: ParseNode, font: string): void {
    if (node.type === "operatorname") return;
    if (node.type === "genfrac") this.readFraction(node, font);
    else if (node.type === "supsub") this.readSupSub(node, font);
    else if (this.isLetter(node)) this.addLetter(node, null, font);
    else this.readParts(node, node.type === "font" ? (node.font ?? "") : font);
  }

  private readParts(node: ParseNode, font: string): void {
    const head = node.type === "supsub" && this.signOf(node.base) !== " " ? node.base : null;
    for (const [name, part] of Object.entries(node)) {
      if (name === "loc" || part === head || typeof part !== "object" || part === null) continue;
      this.readPart(part, font);
    }
  }

  private readPart(part: unknown, font: string): void {
    if (isNode(part)) {
      if (this.signOf(part) === " ") this.read(part, font);
      else this.readList([part], font);
    } else if (Array.isArray(part)) {
      if (part.every(isNode)) this.readList(part, font);
      else for (const one of part) this.readPart(one, font);
    }
  }

  /** Read an index as part of its letter, and a power on its own. */
  private readSupSub(node: ParseNode, font: string): void {
    const { base, sub, sup } = node;
    const inner = base?.type === "font" ? singleOf(base) : base;
    const name = base?.type === "font" ? (base.font ?? "") : font;
    if (!sub || !inner || !this.isLetter(inner)) {
      this.readParts(node, font);
      return;
    }
    this.addLetter(inner, sub, name);
    if (sup) this.readPart(sup, font);
  }

  private addLetter(node: ParseNode, index: ParseNode | null, font: string): void {
    const leaves = [this.addLeaf(node)];
    const written = node.text ?? "";
    const letter = font && font !== "mathnormal" ? `\\${font}{${written}}` : written;
    const source = index ? this.sourceOf(index) : "";
    if (source === "") {
      this.symbols.push({ key: letter, tex: letter, leaves });
      if (index) this.readPart(index, font);
      return;
    }
    leaves.push(...this.leavesOf(index));
    this.symbols.push({ key: `${letter}_${source}`, tex: `${letter}_{${source}}`, leaves });
  }

  /** The source of a node without its braces and spaces; empty if a macro produced it. */
  private sourceOf({ loc }: ParseNode): string {
    if (!loc || loc.lexer.input !== this.tex) return "";
    return this.tex
      .slice(loc.start, loc.end)
      .trim()
      .replace(/^\{([\s\S]*)\}$/, "$1")
      .replace(/\s+/g, "");
  }

  /** Add the letters and digits of a part that are not symbols of their own. */
  private leavesOf(part: unknown): number[] {
    const within = new Reader(this.tex);
    within.readPart(part, "");
    return within.leaves.map((leaf) => this.leaves.push(leaf) - 1);
  }

  /** Read both parts, each only once however deeply fractions are nested; two numbers are also one symbol together. */
  private readFraction({ numer, denom }: ParseNode, font: string): void {
    const parts = [numer, denom].map((part) => {
      const within = new Reader(this.tex);
      within.readPart(part, font);
      return within;
    });
    const taken = parts.map((part) => this.takeFrom(part));
    const [above, below] = parts.map(({ symbols: [only, ...more] }) => (more.length === 0 ? only?.key : undefined));
    if (/^\d+$/.test(above ?? "") && /^\d+$/.test(below ?? "")) {
      const leaves = parts.flatMap((part, at) => part.leaves.map((_, leaf) => leaf + (taken[at]?.from ?? 0)));
      this.symbols.push({ key: `${above}/${below}`, tex: `\\frac{${above}}{${below}}`, leaves });
    }
    for (const { symbols } of taken) this.symbols.push(...symbols);
  }

  /** Take over what another reader found, with its indexes shifted to this reader's. */
  private takeFrom({ symbols, leaves }: Reader): { from: number; symbols: TexSymbol[] } {
    const from = this.leaves.length;
    for (const leaf of leaves) this.leaves.push(leaf);
    return { from, symbols: symbols.map((one) => ({ ...one, leaves: one.leaves.map((leaf) => leaf + from) })) };
  }

  private addLeaf(node: ParseNode): number {
    const { start, end } = node.loc as Leaf;
    return this.leaves.push({ start, end }) - 1;
  }

  private isLetter(node: ParseNode): boolean {
    return node.type === "mathord" && this.isOwn(node) && LETTER.test(node.text ?? "");
  }

  /** Is the node from the source itself? What a macro inserted has no place in the source. */
  private isOwn(node: ParseNode): boolean {
    return node.mode === "math" && node.loc?.lexer.input === this.tex;
  }
}

function isNode(value: unknown): value is ParseNode {
  return typeof value === "object" && value !== null && typeof (value as ParseNode).type === "string";
}

function singleOf(node: ParseNode): ParseNode | null {
  const { body } = node as ParseNode & { body?: ParseNode | ParseNode[] };
  const inner = Array.isArray(body) ? body : body?.type === "ordgroup" ? (body as { body?: ParseNode[] }).body : [body];
  return inner?.length === 1 ? (inner[0] ?? null) : null;
}

/** The characters that a formula shows, and where among them each letter and digit of the source is. */
export interface ShownTex {
  text: string;
  /** By the start of a letter or digit in the source: its offset and length in `text`. */
  at: ReadonlyMap<number, readonly [number, number]>;
}

const shown = new Map<string, ShownTex>();

export function shownTex(tex: string, display: boolean): ShownTex {
  const name = `${display ? "D" : "I"}${tex}`;
  const known = shown.get(name);
  if (known) return known;
  const found = colourAndRead(tex, display);
  shown.set(name, found);
  if (shown.size > MAX_CACHED) shown.delete(shown.keys().next().value ?? "");
  return found;
}

function colourAndRead(tex: string, display: boolean): ShownTex {
  const starts = new Map(texSymbols(tex).leaves.map((leaf) => [leaf.start, leaf.end]));
  const places = [...starts].toSorted(([a], [b]) => a - b);
  let source = "";
  let from = 0;
  places.forEach(([start, end], index) => {
    source += `${tex.slice(from, start)}{\\textcolor{${colourOf(index)}}{${tex.slice(start, end)}}}`;
    from = end;
  });
  const byColour = new Map(places.map(([start], index) => [colourOf(index), start]));
  const at = new Map<number, readonly [number, number]>();
  let text = "";
  const walk = (node: MarkupNode) => {
    for (const child of node.children ?? []) walk(child);
    if (node.children || node.text === undefined) return;
    const start = byColour.get(node.style?.color ?? "");
    if (start !== undefined && !at.has(start)) at.set(start, [text.length, node.text.length]);
    text += node.text;
  };
  try {
    walk(toTree(source + tex.slice(from), { ...TEX_OPTIONS(), displayMode: display }));
  } catch {
    return { text: "", at: new Map() };
  }
  return { text, at };
}

function colourOf(index: number): string {
  return `#${(index + 1).toString(16).padStart(6, "0")}`;
}
