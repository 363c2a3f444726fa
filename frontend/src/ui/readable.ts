import { countOf } from "./format";

/**
 * Characters that are invisible and change how others read: they are shown by their names. What is stored, copied by
 * key or exported stays as it was written.
 *
 * Direction characters reverse the order of the letters after them, so a text that contains one reads as something
 * else. Shown by name, they reverse nothing. Right-to-left scripts do not need them: letters know their direction.
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
 * Combining marks on one letter, with shapeless characters between them; real scripts use a handful. More of them cover
 * the lines above, and a browser needs minutes for thousands, as it does for skin tones after one emoji.
 */
const HEAPED = /(?:[\p{M}\p{Emoji_Modifier}]\p{Cf}*){21,}/gu;

export function readable(text: string): string {
  return text
    .replace(DIRECTION, (sign) => `⟦${NAMES[sign]}⟧`)
    .replace(HEAPED, (marks) => `⟦${countOf([...marks].length, "combining sign")}⟧`);
}

/** The same for all texts of a JSON value, including keys. */
export function readableIn<Value>(value: Value): Value {
  if (typeof value === "string") return readable(value) as Value;
  if (Array.isArray(value)) return value.map(readableIn) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [readable(key), readableIn(inside)])) as Value;
}
