/**
 * Finding the end of things in TeX-like text, with its escapes. Indexes are UTF-16 offsets; -1 = there is none. What each
 * place of a text would have to look for through all of it is found once, for all its places together: a text of openers
 * that nothing closes is read in the time that its length takes.
 */
import { Dollars } from "./dollars";

export interface Cursor {
  text: string;
  at: number;
  /** Closers known not to occur any more. */
  never: Set<string>;
  ends: Ends;
  dollars: Dollars;
  /** Up to here lines of imports begin no program. */
  imports: number;
}

/** At the start of a text. */
export function cursorAt(text: string): Cursor {
  return { text, at: 0, never: new Set(), ends: new Ends(text), dollars: new Dollars(text), imports: 0 };
}

/** The first `close` at or after `from` that no backslash pair hides (`\\]` is a line break and a bracket). */
export function findUnescaped(text: string, close: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    if (text.startsWith(close, index)) return index;
    if (text[index] === "\\") index += 1;
  }
  return -1;
}

export function lineEnd(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return newline < 0 ? text.length : newline;
}

/** Of one text, where that ends which begins at a place. */
export class Ends {
  private braces: ReadonlyMap<number, number> | null = null;
  private environments: ReadonlyMap<number, number> | null = null;
  /** From one place of the text on, where the next dollar stands that nothing escapes. */
  private bare = { from: 0, next: -1 };

  constructor(private readonly text: string) {}

  /** The brace that closes the one at `open`. */
  brace(open: number): number {
    this.braces ??= bracePairs(this.text);
    return this.braces.get(open) ?? -1;
  }

  /** Offset just after the `\end{name}` that belongs to the `\begin{name}` at `begin`; -1 when it is never closed. */
  environment(begin: number): number {
    this.environments ??= environmentPairs(this.text);
    return this.environments.get(begin) ?? -1;
  }

  /** Whether a dollar without a backslash before it stands there. */
  hasBareDollar(from: number, to: number): boolean {
    const { bare, text } = this;
    if (from < bare.from || from > bare.next) {
      let next = text.indexOf("$", from);
      while (next > from && text[next - 1] === "\\") next = text.indexOf("$", next + 1);
      this.bare = { from, next: next < 0 ? text.length : next };
    }
    return this.bare.next < to;
  }
}

function bracePairs(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\") index += 1;
    else if (character === "{") open.push(index);
    else if (character === "}") {
      const begun = open.pop();
      if (begun !== undefined) pairs.set(begun, index);
    }
  }
  return pairs;
}

/** `\begin{name}` and the end of its `\end{name}`; those of other names between them are no matter. */
function environmentPairs(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open = new Map<string, number[]>();
  for (const { 0: sign, 1: which, 2: name = "", index } of text.matchAll(/\\(begin|end)\{([A-Za-z]+\*?)\}/g)) {
    const begun = open.get(name) ?? [];
    open.set(name, begun);
    if (which === "begin") begun.push(index);
    else {
      const at = begun.pop();
      if (at !== undefined) pairs.set(at, index + sign.length);
    }
  }
  return pairs;
}
