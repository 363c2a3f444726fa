/**
 * Which single dollars of a text enclose a formula: found for all of them together, in time linear in the text's
 * length.
 */
import { looksLikeMath } from "./prose";

/** Within this many nested pairs of dollars that are not formulas, nobody writes a formula. */
const MOST_REFUSED = 20;

/** The dollars of one text, which must be asked for from its beginning on. */
export class Dollars {
  private pairs: Map<number, number> | null = null;
  /** The ends of the pairs around the current place that are not formulas. */
  private readonly refused: number[] = [];

  constructor(private readonly text: string) {}

  /** Where the formula opened by the dollar at `open` ends; -1 if it is money or nothing closes it. */
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
  /** The number of braces open before it. */
  depth: number;
  /** The number of paragraphs before it. */
  paragraph: number;
}

/** A blank line; it ends whatever a dollar has opened. */
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
 * For each dollar, the one that would end a formula opened by it: the nearest in the paragraph that is no deeper in
 * braces, else the next one. Dollars are read from the last to the first. `closers` holds those with no more braces
 * open than any nearer one: only these can close what opens earlier.
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
