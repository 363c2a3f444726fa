import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, isRetryable } from "@/api/client";
import type { Label, RevealedScores } from "@/api/types";

type Mark = RevealedScores["marks"][number];

/** What an assisted round shows beside the steps: a line above them, and one at each step that the machine speaks of. */
export interface MarksBeside {
  above: string;
  failed: boolean;
  again: () => void;
  steps: readonly (string | null)[];
}

/**
 * A machine's marks of a trace, for labelers of an assisted round; null in any other, and for the tasks that show
 * nothing. Asked for once the label is open: that it was shown is kept there.
 */
export function useMarksBeside(label: Label): MarksBeside | null {
  const beside = label.machine === "beside";
  const found = useQuery({
    queryKey: ["marksBeside", label.id],
    queryFn: () => api.post<RevealedScores>(`/api/labels/${label.id}/reveal`),
    enabled: beside && label.status !== "prefetched",
    staleTime: Number.POSITIVE_INFINITY,
    retry: (failures, error) => failures < 3 && isRetryable(error),
  });
  const { data, isError, refetch } = found;
  return useMemo(() => {
    if (!beside) return null;
    const again = () => void refetch();
    if (isError) return { above: "The machine’s marks could not be fetched.", failed: true, again, steps: [] };
    const mark = data?.marks[0];
    if (!data) return { above: "The machine’s marks are on their way…", failed: false, again, steps: [] };
    if (!mark) return null; // it has not looked at this trace
    return {
      above: saysAbove(mark),
      failed: false,
      again,
      steps: label.steps.map((_, step) => saysOfStep(mark, step)),
    };
  }, [beside, data, isError, refetch, label]);
}

export function saysAbove({ source, first_error, why }: Pick<Mark, "source" | "first_error" | "why">): string {
  const said =
    first_error === null
      ? `does not say where the first error is${why ? ` (${why.replaceAll("_", " ")})` : ""}`
      : first_error < 0
        ? "sees no error"
        : `sees the first error in step ${first_error + 1}`;
  return `A machine, ${source.name}, ${said}. It may be wrong: rate what you see yourself.`;
}

/** What stands at one step: that it is the machine's first error, and the machine's words about it. */
export function saysOfStep(
  { source, first_error, words }: Pick<Mark, "source" | "first_error" | "words">,
  step: number,
): string | null {
  const said = [first_error === step ? "the first error" : "", ...(words[step] ?? [])].filter(Boolean);
  return said.length > 0 ? `${source.name}: ${said.join("; ")}` : null;
}
