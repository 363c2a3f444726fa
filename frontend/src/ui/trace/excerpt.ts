import { openDollar } from "@/ui/math/openDollar";

/** The lengths at which the server cuts texts in lists; no text is longer here. */
const CUTS = [160, 200, 500];

/**
 * Text for two lines of a list: display formulas are set inline, and a word or formula that was cut off is left out.
 */
export function excerpt(text: string): string {
  const start = text.slice(0, 500);
  const whole = !CUTS.includes(start.length);
  const flat = (whole ? start : start.replace(/\S+$/, "")).replace(/\s+/g, " ");
  const opened = [openDollar(flat), flat.search(/\\[([](?!.*\\[)\]])/)].filter((at) => at >= 0);
  const kept = flat
    .slice(0, Math.min(...opened, flat.length))
    .replaceAll("$$", "$")
    .replaceAll("\\[", "\\(")
    .replaceAll("\\]", "\\)");
  return opened.length === 0 && whole ? kept : `${kept.trimEnd()} …`;
}
