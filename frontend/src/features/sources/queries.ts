import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, queryString } from "@/api/client";
import { usePaged } from "@/api/paged";
import type {
  Acceptance,
  Calibration,
  JudgePreview,
  NewSource,
  NewSourceRun,
  Source,
  SourceEstimate,
  SourceRun,
  Sources,
} from "@/api/sourceTypes";
import type { Budget } from "./sourceWords";

const sourcesKey = (slug: string) => ["sources", slug];
const runsKey = (slug: string) => ["sourceRuns", slug];

export function useSources(slug: string) {
  return useQuery({
    queryKey: sourcesKey(slug),
    queryFn: ({ signal }) => api.get<Sources>(`/api/projects/${slug}/sources`, { signal }),
    refetchInterval: 10_000,
  });
}

export function useGenerators(slug: string) {
  return useQuery({
    queryKey: ["generators", slug],
    queryFn: ({ signal }) =>
      api.get<{ results: { name: string; models: string[] }[] }>(`/api/projects/${slug}/generators`, { signal }),
  });
}

export function useCreateSource(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: NewSource) => api.post<Source>(`/api/projects/${slug}/sources`, asked),
    onSuccess: () => client.invalidateQueries({ queryKey: sourcesKey(slug) }),
  });
}

export function usePreviewJudge(slug: string) {
  return useMutation({
    mutationFn: (asked: { prompt: string; answer?: string }) =>
      api.post<JudgePreview>(`/api/projects/${slug}/sources/preview`, asked),
  });
}

export function useRuns(slug: string) {
  return usePaged<SourceRun>(runsKey(slug), `/api/projects/${slug}/source_runs`, {}, { refetchInterval: 3_000 });
}

/** The maximum cost of a run; requested again whenever the choice changes. */
export function useEstimate(slug: string, asked: NewSourceRun | null) {
  return useQuery({
    queryKey: ["sourceEstimate", slug, asked],
    enabled: asked !== null,
    queryFn: () => api.post<SourceEstimate>(`/api/projects/${slug}/source_runs/estimate`, asked),
  });
}

export function useStartRun(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: NewSourceRun) => api.post<SourceRun>(`/api/projects/${slug}/source_runs`, asked),
    onSuccess: () => client.invalidateQueries({ queryKey: runsKey(slug) }),
  });
}

/** Stop a run, or continue one that stopped, without a budget unless one is given. */
export function useChangeRun(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change, budget }: { id: number; change: "cancel" | "resume"; budget?: Budget }) =>
      api.post<SourceRun>(`/api/source_runs/${id}/${change}`, budget),
    onSettled: () => client.invalidateQueries({ queryKey: runsKey(slug) }),
  });
}

export function useCalibration(slug: string, id: number, truth: string, other: string) {
  return useQuery({
    queryKey: ["calibration", slug, id, truth, other],
    queryFn: ({ signal }) =>
      api.get<Calibration>(
        `/api/projects/${slug}/sources/${id}/calibration${queryString({ ...(truth && { truth }), ...(other && { other }) })}`,
        { signal },
      ),
  });
}

const acceptancesKey = (slug: string) => ["acceptances", slug];

export function useAcceptances(slug: string) {
  return usePaged<Acceptance>(acceptancesKey(slug), `/api/projects/${slug}/acceptances`, {});
}

/** Accept all acceptable marks of a source, or undo an acceptance as a whole. */
export function useAcceptance(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: { source: number } | { withdraw: number }) =>
      "source" in asked
        ? api.post<Acceptance>(`/api/projects/${slug}/acceptances`, asked)
        : api.post<Acceptance>(`/api/acceptances/${asked.withdraw}/withdraw`),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: acceptancesKey(slug) });
      void client.invalidateQueries({ queryKey: ["calibration", slug] });
    },
  });
}
