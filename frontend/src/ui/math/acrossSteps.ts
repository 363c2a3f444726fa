/** Formulas that one step opens and a later one closes: the steps between are TeX, though nothing in them shows it. */
import { proseWords } from "./prose";

/** Two backslashes are a line break in TeX: `\\[4pt]` opens nothing. */
const SIGNS = /\\\\|\$\$|\\\[|\\\]|```|~~~/g;
const CLOSERS: Readonly<Record<string, string>> = { $$: "$$", "\\[": "\\]" };

/** For each step, what closes the formula that the step begins in; null if it begins in words. */
export function formulasAcrossSteps(steps: readonly string[]): (string | null)[] {
  const within: (string | null)[] = steps.map(() => null);
  /** By closer, the step up to which nothing closes it, so that it is not searched for again. */
  const open = new Map<string, number>();
  let at = 0;
  while (at < steps.length) {
    const closer = leftOpen(steps[at] ?? "", within[at] ?? null);
    const looked = closer === null || at < (open.get(closer) ?? -1);
    const end = looked ? null : closingStep(steps, at + 1, closer);
    if (end?.closes) {
      within.fill(closer, at + 1, end.step + 1);
      at = end.step;
      continue;
    }
    if (closer !== null && end) open.set(closer, end.step);
    at += 1;
  }
  return within;
}

/** What would close the formula that is still open at the end of the step; null if none is. */
function leftOpen(step: string, within: string | null): string | null {
  let closer = within;
  for (const [sign] of step.matchAll(SIGNS)) {
    if (sign === "```" || sign === "~~~") return null;
    if (closer === null) closer = CLOSERS[sign] ?? null;
    else if (sign === closer) closer = null;
  }
  return closer;
}

/** The step that closes the formula, if everything up to there can be TeX; else the step up to which none closes it. */
function closingStep(steps: readonly string[], from: number, closer: string): { step: number; closes: boolean } {
  for (let step = from; step < steps.length; step += 1) {
    const end = endOfFormula(steps[step] ?? "", closer);
    if (proseWords((steps[step] ?? "").slice(0, end < 0 ? undefined : end)) > 1) return { step, closes: false };
    if (end >= 0) return { step, closes: true };
  }
  return { step: steps.length, closes: false };
}

/** The place of the closing sign; -1 if there is none. */
export function endOfFormula(text: string, closer: string): number {
  for (const match of text.matchAll(SIGNS)) if (match[0] === closer) return match.index;
  return -1;
}
