/** Distinguishes formulas from words and money, which single dollars alone do not. */

const WORD = /[A-Za-z]{2,}/g;
const NOT_PROSE = new Set([
  "sin",
  "cos",
  "tan",
  "log",
  "ln",
  "gcd",
  "lcm",
  "max",
  "min",
  "mod",
  "cm",
  "mm",
  "km",
  "kg",
]);

const SHORT_WORDS = new Set("am an as at be by do go he if in is it me my no of on or so to up us we".split(" "));

/** Is it a word? `rst` and `ab` are products of variables: words have a vowel, and few words have two letters. */
function isProse(word: string): boolean {
  if (NOT_PROSE.has(word)) return false;
  return word.length === 2 ? SHORT_WORDS.has(word) : /[aeiouy]/.test(word);
}

/** The number of ordinary words; TeX commands, names of environments and the inside of \text{…} do not count. */
export function proseWords(tex: string): number {
  const bare = tex
    .replace(/\\(?:begin|end)\{[^{}]*\}/g, " ")
    .replace(/\\(?:text|textbf|textit|mathrm|mathbf|operatorname)\*?\s*\{[^{}]*\}/g, " ")
    .replace(/\\[A-Za-z]+/g, " ");
  return (bare.match(WORD) ?? []).filter((word) => isProse(word.toLowerCase())).length;
}

/** Could `$content$`, followed by `next`, be a formula rather than two amounts of money? */
export function looksLikeMath(content: string, next: string): boolean {
  const trimmed = content.trim();
  if (trimmed === "" || content.includes("<<") || /\n\s*\n/.test(content)) return false;
  if (/(^|[^\\])\\[[(]/.test(content)) return false; // other delimiters inside: two formulas, wrongly paired
  const hasTex = /[\\^_{}]/.test(content);
  if (/^\d/.test(next) && !hasTex) return false;
  if (/^[\d.,]/.test(trimmed)) {
    if (/[\s=+*/(-]$/.test(content) && !hasTex) return false;
    if (proseWords(trimmed) >= 2 || /\b[A-Za-z]{4,}\b/.test(trimmed.replace(/\\[A-Za-z]+(\s*\{[^{}]*\})?/g, " ")))
      return false;
  }
  if (content !== trimmed && !(hasTex || /[=<>+]/.test(content) || /^[A-Za-z]$/.test(trimmed))) return false;
  return hasTex ? proseWords(trimmed) < 8 : proseWords(trimmed) < 3;
}

/**
 * Could the rest of a paragraph be the formula that its opening sign announces? Nothing closes it, so it must look like
 * one.
 */
export function readsLikeFormula(content: string): boolean {
  return /[\\^_=<>+]/.test(content) && !/(^|[^\\])\$/.test(content) && proseWords(content) === 0;
}
