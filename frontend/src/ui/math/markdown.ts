/** Markdown as models write it: lists, tables, italics, links and rules. Links are text: nothing is ever fetched. */
import { lineEnd } from "./scan";
import type { Rule, Segment } from "./segmentKinds";

type Inline = (text: string) => Segment[];

const LONGEST = 1_000;

function atLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n";
}

const ITEM = /^([ \t]*)(?:([-*+])|(•|\d{1,3}[.)]))[ \t]+(?=(\S))/;
/** Before one of these, a sign is more often a minus than a list's dash. */
const NUMERIC = /[\d.=<>]/;

/** The sign that begins a list item; the rest of the line is its text. */
export const listItem: Rule = ({ text, at }) => {
  if (!atLineStart(text, at)) return null;
  const match = ITEM.exec(text.slice(at, at + 80));
  if (!match) return null;
  const [source, indent = "", sign, mark = "•", next = ""] = match;
  const end = at + source.length;
  if (sign && NUMERIC.test(next) && !isOfList(text, at, end, sign)) return null;
  const depth = Math.min(4, Math.floor(indent.replace(/\t/g, "    ").length / 2));
  return { segments: [{ kind: "item", mark, depth, source }], end };
};

/** Letters that a formula may contain: names of functions, TeX. */
const TEX = /\\text\{[^}]*\}|\\[a-z]+|(?<![a-z])(?:sin|cos|tan|log|sqrt|mod)(?![a-z])/gi;
/**
 * Signs that a text is not arithmetic: a word, a date, a time of day, or a letter between digits that is not a times
 * sign.
 */
const WORDS = /\p{L}{3}|\p{Lo}|\s\p{L}{2}|\d-\d\d-\d|\d:\d\d|\d[a-wyz]\d/iu;

/**
 * Does a sign before a number begin an item? Only if the list continues above or below it, and it is not an expression.
 */
function isOfList(text: string, at: number, end: number, sign: string): boolean {
  const below = text.slice(end, end + LONGEST).split("\n");
  if (!WORDS.test((below.shift() ?? "").replace(TEX, ""))) return false;
  const above = text
    .slice(Math.max(0, at - LONGEST), at)
    .split("\n")
    .reverse();
  return [above, below].some((lines) => {
    for (const line of lines) {
      const [, , same, , next = ""] = ITEM.exec(line) ?? [];
      if (same !== sign && (line.trim() || lines === below)) return false; // a list above may have empty lines
      if (next && !NUMERIC.test(next)) return true;
    }
    return false;
  });
}

export const horizontalRule: Rule = ({ text, at }) => {
  if (!atLineStart(text, at)) return null;
  const source = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*(?=\n|$)/.exec(text.slice(at, at + 120))?.[0];
  return source ? { segments: [{ kind: "rule", source }], end: at + source.length } : null;
};

const DELIMITERS = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;

/** A table: a line of cells, a line of dashes, and all lines of cells that follow. */
export function tableOf(inline: Inline): Rule {
  return ({ text, at }) => {
    if (!atLineStart(text, at)) return null;
    const head = lineAt(text, at);
    const delimiters = head.includes("|") ? lineAt(text, at + head.length + 1) : "";
    if (!delimiters.includes("-") || !DELIMITERS.test(delimiters.replace(/\r$/, ""))) return null;
    const columns = cellsOf(delimiters);
    if (columns.length !== cellsOf(head).length || (columns.length < 2 && !delimiters.includes("|"))) return null;
    const lines = [head];
    let end = at + head.length + 1 + delimiters.length;
    for (let line = lineAt(text, end + 1); line.includes("|"); line = lineAt(text, end + 1)) {
      lines.push(line);
      end += 1 + line.length;
    }
    const source = text.slice(at, end);
    const cells = lines.map(cellsOf);
    const widest = cells.reduce((most, row) => Math.max(most, row.length), 0); // cells beyond the head are text too
    // Pad rows to the widest one, except where a row of bars above thousands of rows would need too many cells.
    const width = widest * cells.length > source.length ? 0 : widest;
    const rows = cells.map((row) => padded(row, width).map(inline));
    const aligns = padded(columns, widest).map(alignOf);
    return { segments: [{ kind: "table", rows, aligns, source }], end };
  };
}

function lineAt(text: string, at: number): string {
  return at > text.length ? "" : text.slice(at, lineEnd(text, at));
}

function padded(cells: string[], count: number): string[] {
  return Array.from({ length: Math.max(count, cells.length) }, (_, index) => cells[index] ?? "");
}

/** Split a line at the bars that are not escaped and not part of a formula or of code. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  const parts = inner.match(/\$[^$]*\$|`[^`]*`|\\.|[^|]|\|/g) ?? [];
  const cells = [""];
  for (const part of parts) {
    if (part === "|") cells.push("");
    else cells[cells.length - 1] += part === "\\|" ? "|" : part;
  }
  return cells.map((cell) => cell.trim());
}

function alignOf(cell: string): "left" | "center" | "right" {
  if (!cell.endsWith(":")) return "left";
  return cell.startsWith(":") ? "center" : "right";
}

const STARRED = /^\*(?![\s*])([^*\n]*?[^\s*])\*(?![\w*])/;
const UNDERLINED = /^_(?![\s_])([^_\n]*?[^\s_])_(?!\w)/;

/** `*word*` and `_word_`; neither products nor indexes. */
export function italicOf(inline: Inline): Rule {
  return ({ text, at }) => {
    const sign = text[at] ?? "";
    if ((sign !== "*" && sign !== "_") || /[\w*)\]}$]/.test(text[at - 1] ?? "")) return null;
    const match = (sign === "*" ? STARRED : UNDERLINED).exec(text.slice(at, at + LONGEST));
    const inner = match?.[1] ?? "";
    if (!match || !/[A-Za-z]{2}|^[A-Za-z]$/.test(inner) || /=/.test(inner)) return null;
    return { segments: styled(inline(inner), sign, sign, { italic: true }), end: at + match[0].length };
  };
}

/** `***word***` */
export function boldItalicOf(inline: Inline): Rule {
  return ({ text, at }) => {
    if (!text.startsWith("***", at) || /\w/.test(text[at - 1] ?? "")) return null;
    const match = /^\*\*\*(?=[^\s*])([^*\n]*?[^\s*])\*\*\*(?![\w*])/.exec(text.slice(at, at + LONGEST));
    if (!match) return null;
    const segments = styled(inline(match[1] ?? ""), "***", "***", { italic: true, bold: true });
    return { segments, end: at + match[0].length };
  };
}

/** Give segments a style; the signs that mark it are added to the sources at both ends. */
export function styled(
  segments: Segment[],
  before: string,
  after: string,
  style: { bold?: true; italic?: true },
): Segment[] {
  return segments.map((segment, index) => ({
    ...segment,
    ...style,
    source: (index === 0 ? before : "") + segment.source + (index === segments.length - 1 ? after : ""),
  }));
}

const ADDRESS = String.raw`<?((?:https?:\/\/|mailto:|www\.|\/|#)[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?`;
const LINK = new RegExp(String.raw`^\[([^[\]\n]{1,300})\]\(${ADDRESS}(?:\s+"[^"\n]*")?\)`);
const IMAGE = /^!\[([^[\]\n]{0,300})\]\(([^()\s]{1,1000})(?:\s+"[^"\n]*")?\)/;

/** `[words](address)`: the words, with the address next to them. */
export function linkOf(inline: Inline): Rule {
  return ({ text, at }) => {
    if (text[at] !== "[") return null;
    const match = LINK.exec(text.slice(at, at + LONGEST));
    if (!match) return null;
    const [source, words = "", address = ""] = match;
    return { segments: [{ kind: "link", words: inline(words), address, source }], end: at + source.length };
  };
}

/** `![words](address)`: an image, which is never loaded. */
export const image: Rule = ({ text, at }) => {
  const match = text.startsWith("![", at) ? IMAGE.exec(text.slice(at, at + 1_400)) : null;
  if (!match) return null;
  const [source, words = "", address = ""] = match;
  return { segments: [{ kind: "figure", language: "image", text: address, words, source }], end: at + source.length };
};
