/** Finding the end of things in TeX-like text, with its escapes. Indexes are UTF-16 offsets; -1 = there is none. */

export interface Cursor {
  text: string;
  at: number;
  /** Closers known not to occur any more: keeps a text of many unclosed openers linear. */
  never: Set<string>;
}

/** The first `close` at or after `from` that no backslash pair hides (`\\]` is a line break and a bracket). */
export function findUnescaped(text: string, close: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    if (text.startsWith(close, index)) return index;
    if (text[index] === "\\") index += 1;
  }
  return -1;
}

/** The brace that closes the one at `open`. */
export function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let index = open; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\") index += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return -1;
}

/** The single dollar that ends a formula begun before `from`: outside braces if there is one, within the paragraph. */
export function closingDollar(text: string, from: number): number {
  let depth = 0;
  let inBraces = -1;
  for (let index = from; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\") index += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    else if (character === "\n" && /^\n[ \t]*\n/.test(text.slice(index, index + 80))) break;
    else if (character === "$") {
      if (depth <= 0) return index;
      if (inBraces < 0) inBraces = index;
    }
  }
  return inBraces;
}
