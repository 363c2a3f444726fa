import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type { TraceDetail, TraceSummary } from "@/api/projectTypes";

export type TraceFilters = Record<"q" | "outcome" | "generator" | "source", string>;

export function useTraces(slug: string, filters: TraceFilters) {
  return usePaged<TraceSummary>(["traces", slug], `/api/projects/${slug}/traces`, filters);
}

export function useTrace(id: number) {
  return useQuery({
    queryKey: ["trace", id],
    queryFn: ({ signal }) => api.get<TraceDetail>(`/api/traces/${id}`, { signal }),
  });
}
