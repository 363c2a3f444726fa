import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api } from "@/api/client";
import type { Home, SelectorNews } from "@/api/homeTypes";
import { projectQuery } from "@/api/projects";
import type { Overview, Project } from "@/api/projectTypes";
import type { TrainingAtClose, TrainingRunSummary } from "@/api/trainingTypes";
import { isUnderWay } from "./closeNews";

/** Progress, mixes and people of a project, requested again every 15 s while the page is in front. */
export function useOverview(slug: string) {
  return useQuery({
    queryKey: ["overview", slug],
    queryFn: ({ signal }) => api.get<Overview>(`/api/projects/${slug}/overview`, { signal }),
    refetchInterval: 15_000,
  });
}

/**
 * Which PRM selects, and how it compares with the previous one. Takes a second to compute; changes with a promotion.
 */
export function useSelector(slug: string) {
  return useQuery({
    queryKey: ["selector", slug],
    queryFn: ({ signal }) => api.get<SelectorNews>(`/api/projects/${slug}/selector`, { signal }),
    staleTime: 300_000,
  });
}

/** How good the labels are, and what more of them would teach. */
export function useHome(slug: string) {
  return useQuery({
    queryKey: ["home", slug],
    queryFn: ({ signal }) => api.get<Home>(`/api/projects/${slug}/home`, { signal }),
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
}

const trainingKey = (slug: string) => ["trainingAtClose", slug];

/** The training started by the newest close of a round, requested every three seconds while it runs. */
export function useTrainingAtClose(slug: string) {
  return useQuery({
    queryKey: trainingKey(slug),
    queryFn: ({ signal }) => api.get<TrainingAtClose>(`/api/projects/${slug}/training_runs/at_close`, { signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 3_000 : 60_000),
  });
}

/** The newest training that waits or runs, whoever started it; null if there is none. */
export function useTrainingUnderWay(slug: string) {
  return useQuery({
    queryKey: ["trainingUnderWay", slug],
    queryFn: async ({ signal }) => {
      const { results } = await api.get<{ results: TrainingRunSummary[] }>(
        `/api/projects/${slug}/training_runs?limit=5`,
        { signal },
      );
      return results.find(({ status }) => status === "queued" || status === "running") ?? null;
    },
    refetchInterval: ({ state }) => (state.data ? 5_000 : 30_000),
  });
}

/** Fetch the curve once a training has ended. */
export function useFreshCurve(slug: string, going: boolean) {
  const client = useQueryClient();
  const before = useRef(going);
  useEffect(() => {
    if (before.current && !going) void client.invalidateQueries({ queryKey: ["home", slug] });
    before.current = going;
  }, [client, slug, going]);
}

/** Have a training start at each close of a round from now on. */
export function useTrainAtEachClose(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.patch<Project>(`/api/projects/${slug}`, { trains_at_close: true }),
    onSuccess: (project) => {
      client.setQueryData(projectQuery(slug).queryKey, project);
      return client.invalidateQueries({ queryKey: trainingKey(slug) });
    },
  });
}
