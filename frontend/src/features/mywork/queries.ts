import { queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Comparison, MyStats } from "@/api/types";

/** The labels of a settled trace. They are never refetched automatically, because what is settled does not change. */
export const comparisonQuery = (labelId: number) =>
  queryOptions({
    queryKey: ["comparison", labelId],
    queryFn: ({ signal }) => api.get<Comparison>(`/api/labels/${labelId}/comparison`, { signal }),
    retry: false,
  });

export const myStatsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["my-stats", slug],
    queryFn: ({ signal }) => api.get<MyStats>(`/api/projects/${slug}/my_stats`, { signal }),
    staleTime: 0,
  });
