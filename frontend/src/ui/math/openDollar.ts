import { looksLikeMath, proseWords } from "./prose";
import { closingDollar, findUnescaped } from "./scan";

/** Where a formula in dollars begins that the text does not close: it was cut off there. -1: nowhere; money is none. */
export function openDollar(text: string): number {
  for (let at = findUnescaped(text, "$", 0); at >= 0; ) {
    const display = text.startsWith("$$", at);
    const from = at + (display ? 2 : 1);
    const end = display ? findUnescaped(text, "$$", from) : closingDollar(text, from);
    if (end < 0 && (display || opensFormula(text.slice(from)))) return at;
    const closes = end >= 0 && (display || looksLikeMath(text.slice(from, end), text.slice(end + 1, end + 3)));
    at = findUnescaped(text, "$", closes ? end + from - at : from);
  }
  return -1;
}

/** Not "$3 each", "$<<2*3=6>>6" or "US$ and": a number behind a dollar is an amount, but in TeX without words. */
function opensFormula(rest: string): boolean {
  return !/^(?:[\d.\s]|<<|$)/.test(rest) || (/^\d.*[\\^_]/.test(rest) && proseWords(rest.replace(/\{\w*$/, "")) === 0);
}
