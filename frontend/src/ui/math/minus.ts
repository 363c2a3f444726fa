/** A minus, or several, and the number or bracket behind it; where one does not begin them, none of the same row does. */
const MINUS_AND_NUMBER = /((?<![-−–] ?)[-−–](?: ?[-−–])* ?(?:\(|\$?\d[\d.,/]*))/;

/** The words between them in the even places, in the odd ones those that are to stay together. Pure. */
export function partedAtMinus(text: string): string[] {
  return text.split(MINUS_AND_NUMBER);
}
