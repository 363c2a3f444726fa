import type { PrmTrial } from "@/api/roundTypes";
import { formatStepScore, type Scale } from "@/ui/trace/score";

/** Return the steps of a pasted solution, which empty lines separate. */
export function stepsOf(text: string): string[] {
  return text
    .split(/\r?\n[ \t]*\r?\n/)
    .map((step) => step.trim())
    .filter((step) => step !== "");
}

/** Return numbers pasted from a card: "[[1.0, 0.19, 0.98]]", one per line, …; null if anything is not a number. */
export function numbersOf(text: string): number[] | null {
  const parts = text.split(/[\s,;[\]()]+/).filter((part) => part !== "");
  const numbers = parts.map(Number);
  return numbers.every(Number.isFinite) ? numbers : null;
}

export interface Agreement {
  tone: "good" | "warn" | "bad";
  title: string;
  says: string;
}

const HALF = 0.5;
const EXACT = 0.005;
const HARDWARE = 0.05; // the most that half precision and other machines change

/** Return how far the PRM's numbers are from the card's; null if there is nothing to compare. */
export function agreement({
  scores,
  expected,
  scale,
}: Pick<PrmTrial, "scores" | "expected" | "scale">): Agreement | null {
  if (!scores || !expected) return null;
  const apart = scores.map((score, step) => Math.abs(score - (expected[step] ?? score)));
  const most = Math.max(...apart);
  const largest = `at most ${most < EXACT ? "0.005" : most.toFixed(2)} apart`;
  const turned = scale === "log_ratio" ? [] : otherSide(scores, expected);
  if (turned.length > 0) {
    return {
      tone: "bad",
      title: "Its scores contradict its card",
      says: `${turned.length === 1 ? `Step ${turned[0]} is` : `Steps ${turned.join(", ")} are`} on the other side of 0.5, ${largest}. Check its family, the separator between steps and what a neutral step counts as before you rely on it.`,
    };
  }
  if (most < EXACT) return { tone: "good", title: "Its scores match its card", says: `The numbers are ${largest}.` };
  if (most > HARDWARE && scale !== "log_ratio")
    return {
      tone: "warn",
      title: "Its scores differ from those on its card",
      says: `Each step is on the same side of 0.5, but the numbers are ${largest}. Half precision and other hardware change only a few hundredths. Check its family, the separator between steps and what a neutral step counts as before you rely on it.`,
    };
  return {
    tone: "good",
    title: "It judges each step as its card does",
    says: `The numbers are ${largest}, which half precision or other hardware can cause.`,
  };
}

function otherSide(scores: readonly number[], expected: readonly number[]): number[] {
  return scores.flatMap((score, step) => {
    const said = expected[step];
    return said !== undefined && score >= HALF !== said >= HALF ? [step + 1] : [];
  });
}

/** Return the text next to a step for its number, or for the card's. */
export function numberWords(value: number | undefined, scale: Scale): string {
  return formatStepScore(value ?? null, scale);
}
