import type { RevealedScores } from "@/api/types";
import { silence } from "@/ui/trace/silence";

type Mark = RevealedScores["marks"][number];

/** Return what a machine's mark shows above the steps, and at each of this many steps. */
export function shownBeside(mark: Mark, steps: number): { above: string | null; steps: (string | null)[] } {
  return { above: saysAbove(mark), steps: Array.from({ length: steps }, (_, step) => saysOfStep(mark, step)) };
}

export function saysAbove({ source, first_error, why }: Pick<Mark, "source" | "first_error" | "why">): string {
  const said =
    first_error === null
      ? `does not say where the first error is${why ? ` (${silence(why)})` : ""}`
      : first_error < 0
        ? "sees no error"
        : `sees the first error in step ${first_error + 1}`;
  return `“${source.name}”, a machine, ${said}. It may be wrong: rate what you see yourself.`;
}

/** Return what is shown at one step: that it is the machine's first error, and the machine's words about it. */
export function saysOfStep(
  { source, first_error, words }: Pick<Mark, "source" | "first_error" | "words">,
  step: number,
): string | null {
  const said = [first_error === step ? "the first error" : "", ...(words[step] ?? [])].filter(Boolean);
  return said.length > 0 ? `${source.name}: ${said.join("; ")}` : null;
}
