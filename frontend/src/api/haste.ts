import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { HastyLabelsFound } from "./jobTypes";

/** How many labels of each round took less time than anyone needs to read the trace. */
export function useHastyLabels(slug: string) {
  return useQuery({
    queryKey: ["hasty_labels", slug],
    queryFn: ({ signal }) => api.get<HastyLabelsFound>(`/api/projects/${slug}/hasty_labels`, { signal }),
  });
}
