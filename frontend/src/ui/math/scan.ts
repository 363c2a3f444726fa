/**
 * Finds where things end in TeX-like text, respecting its escapes. Indexes are UTF-16 offsets; -1 means there is none.
 * What each place would have to search the whole text for is found once for all places together, so a text of openers
 * that nothing closes is read in time linear in its length.
 */
import { Dollars } from "./dollars";

export interface Cursor {
  text: string;
  at: number;
  /** Closers known not to occur any further on. */
  never: Set<string>;
  ends: Ends;
  dollars: Dollars;
  /** Import lines before this offset begin no program. */
  imports: number;
}

/** A cursor at the start of a text. */
export function cursorAt(text: string): Cursor {
  return { text, at: 0, never: new Set(), ends: new Ends(text), dollars: new Dollars(text), imports: 0 };
}

/** The first `close` at or after `from` that is not escaped by a backslash (`\\]` is a line break and a bracket). */
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

/** Where things end in one text, by the place where they begin. */
export class Ends {
  private braces: ReadonlyMap<number, number> | null = null;
  private environments: ReadonlyMap<number, number> | null = null;
  /** The next unescaped dollar, as seen from one place of the text. */
  private bare = { from: 0, next: -1 };

  constructor(private readonly text: string) {}

  /** The brace that closes the one at `open`. */
  brace(open: number): number {
    this.braces ??= bracePairs(this.text);
    return this.braces.get(open) ?? -1;
  }

  /** Offset just after the `\end{name}` that belongs to the `\begin{name}` at `begin`; -1 if it is never closed. */
  environment(begin: number): number {
    this.environments ??= environmentPairs(this.text);
    return this.environments.get(begin) ?? -1;
  }

  /** Is there a dollar without a backslash before it from `from` up to `to`? */
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

/** Each `\begin{name}` with the end of its `\end{name}`; environments with other names between them are ignored. */
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
