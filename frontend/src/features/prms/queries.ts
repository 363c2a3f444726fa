import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, queryString } from "@/api/client";
import { hereOnly } from "@/api/here";
import { usePaged } from "@/api/paged";
import type { ConnectPrm, Prm, PrmConnections, Prms, PrmTrial, TryPrm } from "@/api/roundTypes";
import type {
  Comparison,
  Evaluation,
  EvaluationSet,
  EvaluationSets,
  EvaluationSummary,
  NewEvaluation,
  NewEvaluationSet,
  NewTrainingRun,
  Promotion,
  PromotionNews,
  TrainingOptions,
  TrainingPreview,
  TrainingQuestion,
  TrainingRun,
  TrainingRunSummary,
} from "@/api/trainingTypes";

const runsKey = (slug: string) => ["trainingRuns", slug];
const runKey = (id: number) => ["trainingRun", id];
const promotionsKey = (slug: string) => ["promotions", slug];
const trialKey = (id: number) => ["prmTrial", id];
export const prmsKey = (slug: string) => ["prms", slug];
const setsKey = (slug: string) => ["evaluationSets", slug];
const evaluationsKey = (slug: string) => ["evaluations", slug];
const evaluationKey = (id: number) => ["evaluation", id];

export function isOver({ status }: { status: string }): boolean {
  return status !== "queued" && status !== "running";
}

export function usePrms(slug: string) {
  return useQuery({
    queryKey: prmsKey(slug),
    queryFn: async ({ signal }) => (await api.get<Prms>(`/api/projects/${slug}/prms`, { signal })).results,
    refetchInterval: ({ state }) => (state.data?.some((prm) => prm.status === "unchecked") ? 1_500 : 10_000),
  });
}

/** Return whether this PRM is the selector already; undefined until that is known. */
export function useSelects(slug: string, prm: number | undefined): boolean | undefined {
  const { data } = usePrms(slug);
  return data?.some((one) => one.id === prm && one.selector);
}

/** What PRMs can be connected from. Folders come and go as the workers see them. */
export function usePrmConnections(slug: string) {
  return useQuery({
    queryKey: ["prmConnections", slug],
    queryFn: ({ signal }) => api.get<PrmConnections>(`/api/projects/${slug}/prms/connections`, { signal }),
    refetchInterval: 10_000,
  });
}

export function useConnectPrm(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (prm: ConnectPrm) => api.post<Prm>(`/api/projects/${slug}/prms`, prm),
    onSuccess: () => client.invalidateQueries({ queryKey: prmsKey(slug) }),
  });
}

/** Have a worker check an unusable PRM again, or stop offering it. */
export function useChangePrm(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (what: "recheck" | "retire") => api.post<Prm>(`/api/projects/${slug}/prms/${id}/${what}`),
    onSuccess: () => client.invalidateQueries({ queryKey: prmsKey(slug) }),
  });
}

export function useTryPrm(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (trace: TryPrm) => api.post<PrmTrial>(`/api/projects/${slug}/prms/${id}/try`, trace),
    onSuccess: (trial) => client.setQueryData(trialKey(trial.id), trial),
  });
}

/** A trace given to a PRM to try, requested again every second until a worker has scored it. */
export function usePrmTrial(id: number | null) {
  return useQuery({
    queryKey: trialKey(id ?? 0),
    queryFn: ({ signal }) => api.get<PrmTrial>(`/api/prm_trials/${id}`, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 1_000),
  });
}

export function useTrainingRuns(slug: string) {
  return usePaged<TrainingRunSummary>(
    runsKey(slug),
    `/api/projects/${slug}/training_runs`,
    {},
    { refetchInterval: 5_000 },
  );
}

/** One run, requested again every second until it ends. */
export function useTrainingRun(id: number) {
  return useQuery({
    queryKey: runKey(id),
    queryFn: ({ signal }) => api.get<TrainingRun>(`/api/training_runs/${id}`, { signal, headers: hereOnly() }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 1_000),
  });
}

export function useTrainingOptions(slug: string) {
  return useQuery({
    queryKey: ["trainingOptions", slug],
    queryFn: ({ signal }) => api.get<TrainingOptions>(`/api/projects/${slug}/training_runs/options`, { signal }),
  });
}

/** What a run over these rounds would learn from. Older numbers stay meanwhile. */
export function useTrainingPreview(slug: string, question: TrainingQuestion) {
  return useQuery({
    queryKey: ["trainingPreview", slug, question],
    queryFn: ({ signal }) =>
      api.post<TrainingPreview>(`/api/projects/${slug}/training_runs/preview`, question, { signal }),
    enabled: question.round_ids.length > 0,
    placeholderData: keepPreviousData,
  });
}

export function useCreateTrainingRun(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (run: NewTrainingRun) => api.post<TrainingRun>(`/api/projects/${slug}/training_runs`, run),
    onSuccess: () => client.invalidateQueries({ queryKey: runsKey(slug) }),
  });
}

export function useCancelTrainingRun(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<TrainingRun>(`/api/training_runs/${id}/cancel`),
    onSuccess: (run) => {
      client.setQueryData(runKey(id), run);
      return client.invalidateQueries({ queryKey: runsKey(slug) });
    },
  });
}

export function usePromotions(slug: string) {
  return usePaged<Promotion>(promotionsKey(slug), `/api/projects/${slug}/promotions`);
}

/** Make a PRM the selector (by its id), or restore the selector from before a promotion. */
export function usePromote(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: number | { undoes: number }) =>
      typeof asked === "number"
        ? api.post<Promotion>(`/api/projects/${slug}/promotions`, { prm: asked })
        : api.post<Promotion>(`/api/projects/${slug}/promotions/roll_back`, asked),
    // Also after a refusal, because then somebody else has changed it.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: promotionsKey(slug) }),
        client.invalidateQueries({ queryKey: prmsKey(slug) }),
      ]),
  });
}

/** The reasons against making a PRM the selector, the worst first; requested again before each promotion. */
export function usePromotionNews(slug: string, prm: number | null) {
  return useQuery({
    queryKey: [...promotionsKey(slug), "news", prm],
    queryFn: async ({ signal }) => {
      const path = `/api/projects/${slug}/promotions/news${queryString({ prm: prm ?? 0 })}`;
      return (await api.get<{ results: PromotionNews[] }>(path, { signal })).results;
    },
    enabled: prm !== null,
    gcTime: 0,
  });
}

export function useEvaluationSets(slug: string) {
  return useQuery({
    queryKey: setsKey(slug),
    queryFn: ({ signal }) => api.get<EvaluationSets>(`/api/projects/${slug}/evaluation_sets`, { signal }),
  });
}

export function useCreateEvaluationSet(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (set: NewEvaluationSet) => api.post<EvaluationSet>(`/api/projects/${slug}/evaluation_sets`, set),
    onSuccess: () => client.invalidateQueries({ queryKey: setsKey(slug) }),
  });
}

export function useEvaluations(slug: string, filters: { evaluation_set?: number; prm?: number } = {}) {
  return usePaged<EvaluationSummary>(evaluationsKey(slug), `/api/projects/${slug}/evaluations`, filters, {
    refetchInterval: 5_000,
  });
}

/** One evaluation, requested again every second until it ends. */
export function useEvaluation(id: number) {
  return useQuery({
    queryKey: evaluationKey(id),
    queryFn: ({ signal }) => api.get<Evaluation>(`/api/evaluations/${id}`, { signal, headers: hereOnly() }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 1_000),
  });
}

export function useCreateEvaluation(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (evaluation: NewEvaluation) => api.post<Evaluation>(`/api/projects/${slug}/evaluations`, evaluation),
    onSuccess: () => client.invalidateQueries({ queryKey: evaluationsKey(slug) }),
  });
}

export function useCancelEvaluation(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<Evaluation>(`/api/evaluations/${id}/cancel`),
    onSuccess: (evaluation) => {
      client.setQueryData(evaluationKey(id), evaluation);
      return client.invalidateQueries({ queryKey: evaluationsKey(slug) });
    },
  });
}

/** Two evaluations side by side. If they cannot be compared, the server says why. */
export function useComparison(slug: string, left: number, right: number) {
  return useQuery({
    queryKey: ["comparison", slug, left, right],
    queryFn: ({ signal }) =>
      api.get<Comparison>(`/api/projects/${slug}/evaluations/compare${queryString({ left, right })}`, { signal }),
    enabled: left > 0 && right > 0,
    retry: false,
    staleTime: 60_000,
  });
}
