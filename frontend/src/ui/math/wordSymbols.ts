/** Symbols outside formulas: numbers and single letters in words, names in code. */
import { numberKey } from "./texSymbols";

export interface WordSymbol {
  key: string;
  start: number;
  end: number;
}

/** Without "a" and "I", which are words more often than unknowns. */
const IN_WORDS =
  /(?<![\w.])\d+\/\d+(?![\w/])|(?<![\w.])(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<![\p{L}\d_'’\\])[b-zB-HJ-Z](?![\p{L}\d_'’]|\.[a-z])/gu;
const IN_CODE = /[A-Za-z_]\w*|(?<![\w.])\d+(?:\.\d+)?/g;
const KEYWORDS = new Set(
  (
    "and as assert break class continue def del elif else except finally for from if import in is lambda not or pass raise " +
    "return try while with yield True False None int float str len range print self const let var function new this"
  ).split(" "),
);

/** The symbols of a text in order. */
export function wordSymbols(text: string, code: boolean): WordSymbol[] {
  const found: WordSymbol[] = [];
  for (const match of text.matchAll(code ? IN_CODE : IN_WORDS)) {
    const [word] = match;
    if (code && KEYWORDS.has(word)) continue;
    const key = /^[\d,.]+$/.test(word) ? numberKey(word) : word;
    found.push({ key, start: match.index, end: match.index + word.length });
  }
  return found;
}
