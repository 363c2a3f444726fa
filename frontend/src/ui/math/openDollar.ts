import { dollarPairs } from "./dollars";
import { looksLikeMath } from "./prose";
import { findUnescaped } from "./scan";

/**
 * What follows a dollar that opens a formula. Not "$3 each", "$<<2*3=6>>6", "US$ and", or the end of a formula: a
 * number after a dollar is money, except in TeX.
 */
const OPENS = /^(?![\d\s.,;:)]|<<|$)|^\d+\w?[^A-Za-z]*[\\^_]/;

/**
 * Where a formula in dollars begins that the text does not close because it was cut off there; -1 if there is none.
 * Money does not count.
 */
export function openDollar(text: string): number {
  const pairs = dollarPairs(text);
  let at = findUnescaped(text, "$", 0);
  while (at >= 0) {
    const end = pairs.get(at) ?? -1;
    if (end < 0 && OPENS.test(text.slice(at + 1))) return text[at - 1] === "$" ? at - 1 : at;
    const closed = end >= 0 && looksLikeMath(text.slice(at + 1, end), text.slice(end + 1, end + 3));
    at = findUnescaped(text, "$", (closed ? end : at) + 1);
  }
  return at;
}
