import { countOf } from "./format";

/**
 * Signs that nobody reads, and that change how the others read: they are shown by their names. What is kept, copied by key
 * and exported stays as it was written.
 *
 * Signs of direction turn the order of the letters behind them: a text that holds one reads as something else than it is.
 * Named they turn nothing. Right-to-left scripts need none of them: letters know their direction.
 */
const NAMES: Record<string, string> = {
  "\u202a": "LRE",
  "\u202b": "RLE",
  "\u202c": "PDF",
  "\u202d": "LRO",
  "\u202e": "RLO",
  "\u2066": "LRI",
  "\u2067": "RLI",
  "\u2068": "FSI",
  "\u2069": "PDI",
};
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Marks that are set onto one letter, with signs without a shape between them: scripts have a handful. More of them cover
 * the lines above, and a browser needs minutes for thousands, as it does for colours of skin behind one emoji.
 */
const HEAPED = /(?:[\p{M}\p{Emoji_Modifier}]\p{Cf}*){21,}/gu;

export function readable(text: string): string {
  return text
    .replace(DIRECTION, (sign) => `⟦${NAMES[sign]}⟧`)
    .replace(HEAPED, (marks) => `⟦${countOf([...marks].length, "combining sign")}⟧`);
}

/** The same in all texts of a JSON value, keys among them. */
export function readableIn<Value>(value: Value): Value {
  if (typeof value === "string") return readable(value) as Value;
  if (Array.isArray(value)) return value.map(readableIn) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [readable(key), readableIn(inside)])) as Value;
}
