/**
 * Signs that turn the order of the letters behind them: a text that holds one reads as something else than it is. They
 * are shown by their names, and so turn nothing. Right-to-left scripts need none of them: letters know their direction.
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
const SIGN = /[\u202a-\u202e\u2066-\u2069]/g;

export function directionSignsShown(text: string): string {
  return text.replace(SIGN, (sign) => `⟦${NAMES[sign]}⟧`);
}

/** The same in all texts of a JSON value, keys among them. */
export function directionSignsShownIn<Value>(value: Value): Value {
  if (typeof value === "string") return directionSignsShown(value) as Value;
  if (Array.isArray(value)) return value.map(directionSignsShownIn) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [directionSignsShown(key), directionSignsShownIn(inside)]),
  ) as Value;
}
