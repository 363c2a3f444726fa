import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, queryString } from "@/api/client";
import { hereOnly } from "@/api/here";
import { usePaged } from "@/api/paged";
import type { ChangedTraces, ListedTrace, ProblemTree, TraceDetail, TraceFacets } from "@/api/projectTypes";
import type { TraceFilters } from "./traceWords";

/**
 * `unsearched`: how many traces the search did not cover yet, by the facets' answer. When it falls, more may be found.
 */
export function useTraces(slug: string, filters: TraceFilters, unsearched: number) {
  return usePaged<ListedTrace>(["traces", slug, filters.q ? unsearched : 0], `/api/projects/${slug}/traces`, filters);
}

/** While search words are being indexed, ask again: what is found and counted grows. */
export function useTraceFacets(slug: string, { order: _, ...filters }: TraceFilters) {
  return useQuery({
    queryKey: ["traces", slug, "facets", filters],
    queryFn: ({ signal }) =>
      api.get<TraceFacets>(`/api/projects/${slug}/traces/facets${queryString(filters)}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.unsearched ? 10_000 : false),
  });
}

/** Change many traces at once: hold them out with their problems, or make them gold by what their file says. */
export function useChangeTraces(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ kind, ids }: { kind: "hold_out" | "gold"; ids: number[] }) =>
      api.post<ChangedTraces>(`/api/projects/${slug}/traces/${kind}`, { ids }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["traces", slug] }),
  });
}

export function useTrace(id: number) {
  return useQuery({
    queryKey: ["trace", id],
    queryFn: ({ signal }) => api.get<TraceDetail>(`/api/traces/${id}`, { signal, headers: hereOnly() }),
  });
}

/**
 * A problem's traces as one tree, with the scores of one scorer (the newest if empty). It includes the `named` traces.
 */
export function useProblemTree(problem: number, scorer: string, named: number[]) {
  const [trace, other] = named;
  const asked = queryString({ scorer, trace, other });
  return useQuery({
    queryKey: ["problem-tree", problem, asked],
    queryFn: ({ signal }) =>
      api.get<ProblemTree>(`/api/problems/${problem}/tree${asked}`, { signal, headers: hereOnly() }),
    placeholderData: (before) => (before?.problem.id === problem ? before : undefined),
  });
}
