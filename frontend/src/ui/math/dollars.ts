/** Which single dollars of a text hold a formula: found for all of them together, in the time that the text's length takes. */
import { looksLikeMath } from "./prose";

/** Within so many pairs of dollars that are no formula nobody writes one. */
const MOST_REFUSED = 20;

/** Of one text. It is read from its beginning on. */
export class Dollars {
  private pairs: Map<number, number> | null = null;
  /** Where the pairs end that are no formula, of those that the place is within. */
  private readonly refused: number[] = [];

  constructor(private readonly text: string) {}

  /** Where the formula ends that the dollar at `open` begins; -1: it is money, or nothing closes it. */
  formulaEnd(open: number): number {
    const { text, refused } = this;
    this.pairs ??= dollarPairs(text);
    while (refused.length > 0 && (refused.at(-1) ?? 0) <= open) refused.pop();
    const end = this.pairs.get(open) ?? -1;
    if (end < 0 || refused.length >= MOST_REFUSED) return -1;
    if (looksLikeMath(text.slice(open + 1, end), text.slice(end + 1, end + 3))) return end;
    refused.push(end);
    this.pairs.delete(open);
    return -1;
  }
}

interface Dollar {
  at: number;
  /** Open braces before it. */
  depth: number;
  /** The paragraphs before it. */
  paragraph: number;
}

/** A blank line ends what a dollar begins. */
const GAP = /\n[ \t]{0,78}\n/y;

function dollarsOf(text: string): Dollar[] {
  const dollars: Dollar[] = [];
  let [depth, paragraph] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    else if (character === "$") dollars.push({ at, depth, paragraph });
    else if (character === "\n") {
      GAP.lastIndex = at;
      if (GAP.test(text)) paragraph += 1;
    }
  }
  return dollars;
}

/**
 * For each dollar the one that would end a formula begun by it: outside braces if there is one, within the paragraph. They
 * are read from the last one on: what begins before is closed by the nearest of those with fewer braces open than all nearer ones.
 */
export function dollarPairs(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  let closers: Dollar[] = [];
  let next: Dollar | undefined;
  for (const dollar of dollarsOf(text).reverse()) {
    if (next?.paragraph !== dollar.paragraph) [closers, next] = [[], undefined];
    while ((closers.at(-1)?.depth ?? Number.NEGATIVE_INFINITY) > dollar.depth) closers.pop();
    const closer = closers.at(-1) ?? next;
    if (closer) pairs.set(dollar.at, closer.at);
    closers.push(dollar);
    next = dollar;
  }
  return pairs;
}
