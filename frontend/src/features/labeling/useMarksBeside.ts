import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, isRetryable } from "@/api/client";
import type { Label, RevealedScores } from "@/api/types";

/** What an assisted round shows next to the steps: a line above them, and one at each step the machine comments on. */
export interface MarksBeside {
  above: string;
  failed: boolean;
  again: () => void;
  steps: readonly (string | null)[];
}

/**
 * Return a machine's marks of a trace for labelers of an assisted round. Null in any other round, and for tasks that
 * show nothing. Asked for once the label is open, because the server records that they were shown.
 */
export function useMarksBeside(label: Label): MarksBeside | null {
  const beside = label.machine === "beside";
  const found = useQuery({
    queryKey: ["marksBeside", label.id],
    queryFn: async () => {
      const [words, revealed] = await Promise.all([
        import("./marksBesideWords"), // few rounds use them
        api.post<RevealedScores>(`/api/labels/${label.id}/reveal`),
      ]);
      const mark = revealed.marks[0];
      return mark ? words.shownBeside(mark, label.steps.length) : { above: null, steps: [] };
    },
    enabled: beside && label.status !== "prefetched",
    staleTime: Number.POSITIVE_INFINITY,
    retry: (failures, error) => failures < 3 && isRetryable(error),
  });
  const { data, isError, refetch } = found;
  return useMemo(() => {
    if (!beside) return null;
    const again = () => void refetch();
    if (isError) return { above: "The machine’s marks did not load.", failed: true, again, steps: [] };
    if (!data) return { above: "Loading the machine’s marks…", failed: false, again, steps: [] };
    if (data.above === null) return null; // the machine has not looked at this trace
    return { above: data.above, failed: false, again, steps: data.steps };
  }, [beside, data, isError, refetch]);
}
