/** The texts for a figure and its 95 % interval, in one place, so that no page claims more than the data allow. */

export interface Uncertain {
  value: number | null;
  low: number | null;
  high: number | null;
  /** The number of problems or traces that the interval would be based on. */
  clusters?: number | null;
  no_interval?: "few_clusters" | "all_alike" | "often_undefined" | "no_method" | null;
}

/** "−0.028": with a minus sign instead of a hyphen, and without a minus before zero. */
export function decimal(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** "+0.028", "−0.028", "0.000": a difference always shows its direction. */
export function signed(value: number, digits = 3): string {
  const text = decimal(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** "95 %: 0.79 to 0.88", or why there is no interval: "95 %: n/a (2 problems)"; empty if the figure never has one. */
export function intervalPart(figure: Uncertain, format: (value: number) => string, unit = "problem"): string {
  if (figure.value === null) return "";
  if (figure.low !== null && figure.high !== null) return `95 %: ${format(figure.low)} to ${format(figure.high)}`;
  const { clusters, no_interval } = figure;
  const count = clusters == null ? "" : `${clusters} ${clusters === 1 ? unit : `${unit}s`}`;
  if (no_interval === "few_clusters") return `95 %: n/a (${count})`;
  if (no_interval === "all_alike") return count ? `95 %: n/a (${count}, all alike)` : "95 %: n/a (all alike)";
  if (no_interval === "often_undefined") return `95 %: n/a (${count}, too few to draw from)`;
  return "";
}

/** "0.84, 95 %: 0.79 to 0.88" */
export function withInterval(figure: Uncertain, format: (value: number) => string, unit?: string): string {
  if (figure.value === null) return "n/a";
  const part = intervalPart(figure, format, unit);
  return part ? `${format(figure.value)}, ${part}` : format(figure.value);
}
