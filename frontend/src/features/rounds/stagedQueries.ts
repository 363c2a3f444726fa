import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, FIGURES_TIMEOUT_MS } from "@/api/client";
import { usePaged } from "@/api/paged";
import { projectQuery } from "@/api/projects";
import type { Round, TraceSummary } from "@/api/projectTypes";
import type {
  ComparedRounds,
  Generators,
  NewStagedRound,
  PoolCount,
  PoolCountQuestion,
  Prms,
  RoundFigures,
  RoundProgress,
  RoundReport,
  RoundReports,
  Selection,
  SelectionRules,
  SplitPreview,
  Splitter,
} from "@/api/roundTypes";
import type { TrainingOptions } from "@/api/trainingTypes";
import { roundKey, roundsKey } from "./queries";
import type { PoolQuestion } from "./stagedForm";

const selectionKey = (id: number) => ["roundSelection", id];
const progressKey = (id: number) => ["roundProgress", id];

export function usePrms(slug: string) {
  return useQuery({
    queryKey: ["prms", slug],
    queryFn: async ({ signal }) => (await api.get<Prms>(`/api/projects/${slug}/prms`, { signal })).results,
    refetchInterval: ({ state }) => (state.data?.some((prm) => prm.status === "unchecked") ? 1_500 : 10_000),
  });
}

/** What a PRM can be trained on, and from which base. */
export function useTrainingOptions(slug: string) {
  return useQuery({
    queryKey: ["trainingOptions", slug],
    queryFn: ({ signal }) => api.get<TrainingOptions>(`/api/projects/${slug}/training_runs/options`, { signal }),
  });
}

export function useGenerators(slug: string) {
  return useQuery({
    queryKey: ["generators", slug],
    queryFn: ({ signal }) => api.get<Generators>(`/api/projects/${slug}/generators`, { signal }),
    staleTime: 60_000,
  });
}

/** The steps that a splitter makes of a text, or of a trace of the project. */
export function useSplitPreview(
  slug: string,
  splitter: Splitter,
  source: { text: string } | { trace_id: number } | null,
) {
  return useQuery({
    queryKey: ["splitPreview", slug, splitter, source],
    queryFn: ({ signal }) =>
      api.post<SplitPreview>(`/api/projects/${slug}/splitter/preview`, { ...splitter, ...source }, { signal }),
    enabled: source !== null && (splitter.kind !== "custom" || splitter.pattern !== ""),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Some traces of the project to try a splitter on. */
export function useTracesToTry(slug: string) {
  return usePaged<TraceSummary>(["tracesToTry", slug], `/api/projects/${slug}/traces`, { limit: 10 });
}

/**
 * What a round would draw from and choose. Null while the form is not ready to be counted; older numbers stay
 * meanwhile.
 *
 * @param round one that chooses again: its own tasks do not count as queued.
 */
export function usePoolCount(slug: string, question: PoolQuestion | null, round: number | null = null) {
  const asked: PoolCountQuestion | null = question && { ...question, round };
  return useQuery({
    queryKey: ["pool", slug, asked],
    queryFn: ({ signal }) => api.post<PoolCount>(`/api/projects/${slug}/rounds/pool`, asked, { signal }),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  });
}

export function useStartRound(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (round: NewStagedRound) => api.post<Round>(`/api/projects/${slug}/rounds/start`, round),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: roundsKey(slug) }),
        client.invalidateQueries({ queryKey: projectQuery(slug).queryKey }),
      ]),
  });
}

/** The progress of each stage, requested again every second and a half while a worker has it. */
export function useRoundProgress(round: Round) {
  return useQuery({
    queryKey: progressKey(round.id),
    queryFn: ({ signal }) => api.get<RoundProgress>(`/api/rounds/${round.id}/progress`, { signal }),
    refetchInterval: ({ state }) => ((state.data ?? round).working ? 1_500 : false),
  });
}

export function useSelection(round: Round) {
  return useQuery({
    queryKey: selectionKey(round.id),
    queryFn: ({ signal }) => api.get<Selection>(`/api/rounds/${round.id}/selection`, { signal }),
    enabled: round.has_selection,
    staleTime: 60_000,
  });
}

export function useReselect(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rules: SelectionRules) => api.post<Round>(`/api/rounds/${id}/reselect`, rules, { timeoutMs: 60_000 }),
    onSuccess: (round) => {
      client.setQueryData(roundKey(id), round);
      return Promise.all([
        client.invalidateQueries({ queryKey: selectionKey(id) }),
        client.invalidateQueries({ queryKey: progressKey(id) }),
        client.invalidateQueries({ queryKey: roundsKey(slug) }),
      ]);
    },
  });
}

export function useRoundReport(id: number, enabled: boolean) {
  return useQuery({
    queryKey: ["roundReport", id],
    queryFn: ({ signal }) => api.get<RoundReport>(`/api/rounds/${id}/report`, { signal }),
    enabled,
    staleTime: 30_000,
  });
}

/** What a round found and cost, and how far to trust it, based on its labels now. */
export function useRoundFigures(id: number) {
  return useQuery({
    queryKey: ["roundFigures", id],
    queryFn: ({ signal }) => api.get<RoundFigures>(`/api/rounds/${id}/figures`, { signal }),
    staleTime: 30_000,
  });
}

/** Each of the other rounds compared with the first, one figure per row. */
export function useComparedRounds(slug: string, base: number, others: readonly number[]) {
  return useQueries({
    queries: others.map((other) => ({
      queryKey: ["roundComparison", slug, base, other],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get<ComparedRounds>(`/api/projects/${slug}/round_comparison?one=${base}&other=${other}`, {
          signal,
          timeoutMs: FIGURES_TIMEOUT_MS,
        }),
      staleTime: 30_000,
    })),
  });
}

/** The reports of a project's rounds, the newest round first. */
export function useRoundReports(slug: string) {
  return useQuery({
    queryKey: ["roundReports", slug],
    queryFn: async ({ signal }) =>
      (await api.get<RoundReports>(`/api/projects/${slug}/round_reports`, { signal })).results.toReversed(),
  });
}

/** Leave out the labels of a round that cannot have been read, and refetch everything based on labels. */
export function useLeaveOutHasty(slug: string, round: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      api.post(`/api/projects/${slug}/label_changes`, {
        kind: "exclude",
        filters: { round, why: "hasty" },
        because: "hasty",
      }),
    onSuccess: () => client.invalidateQueries(),
  });
}
