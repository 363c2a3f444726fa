/**
 * One or more minus signs and the number or bracket after them. If the first sign of a row starts no match, no later
 * one does.
 */
const MINUS_AND_NUMBER = /((?<![-−–] ?)[-−–](?: ?[-−–])* ?(?:\(|\$?\d[\d.,/]*))/;

/** Split a text: even places hold the words between, odd places the parts to keep together. Pure. */
export function partedAtMinus(text: string): string[] {
  return text.split(MINUS_AND_NUMBER);
}
