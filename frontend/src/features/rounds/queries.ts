import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { hereOnly } from "@/api/here";
import { usePaged } from "@/api/paged";
import type { NewPathRound, PathRoundPreview, PathRoundQuestion } from "@/api/pathTypes";
import { projectQuery } from "@/api/projects";
import type { NewRound, Round, RoundChoice, RoundPreview, TraceFacets } from "@/api/projectTypes";
import type { ReviewCounts } from "@/api/reviewTypes";
import type { TrainingAtClose } from "@/api/trainingTypes";
import type { RoundAction } from "./roundStages";

export const roundsKey = (slug: string) => ["rounds", slug];
export const roundKey = (id: number) => ["round", id];

export function useRounds(slug: string) {
  return usePaged<Round>(roundsKey(slug), `/api/projects/${slug}/rounds`, {}, { refetchInterval: 15_000 });
}

export function useRound(id: number, enabled = true) {
  return useQuery({
    enabled,
    queryKey: roundKey(id),
    queryFn: ({ signal }) => api.get<Round>(`/api/rounds/${id}`, { signal, headers: hereOnly() }),
    refetchInterval: ({ state }) => (state.data?.working ? 1_500 : state.data?.training.due ? 3_000 : 10_000),
  });
}

/** What a choice of traces would give. Null while the form is not ready to be counted. */
export function usePreviewRound(slug: string, choice: RoundChoice | null) {
  return useQuery({
    queryKey: ["roundPreview", slug, choice],
    queryFn: ({ signal }) => api.post<RoundPreview>(`/api/projects/${slug}/rounds/preview`, choice, { signal }),
    enabled: choice !== null,
    placeholderData: keepPreviousData,
  });
}

export function useOpenRound(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (round: NewRound) => api.post<Round>(`/api/projects/${slug}/rounds`, round),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: roundsKey(slug) }),
        client.invalidateQueries({ queryKey: projectQuery(slug).queryKey }),
      ]),
  });
}

/** What a round of paths would contain. Null while the form is not ready to be counted. */
export function usePreviewPathRound(slug: string, question: PathRoundQuestion | null) {
  return useQuery({
    queryKey: ["pathRoundPreview", slug, question],
    queryFn: ({ signal }) =>
      api.post<PathRoundPreview>(`/api/projects/${slug}/rounds/path/preview`, question, { signal }),
    enabled: question !== null,
    placeholderData: keepPreviousData,
  });
}

export function useOpenPathRound(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (round: NewPathRound) => api.post<Round>(`/api/projects/${slug}/rounds/path`, round),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: roundsKey(slug) }),
        client.invalidateQueries({ queryKey: projectQuery(slug).queryKey }),
      ]),
  });
}

/** Set when workers prepare the next round, as a percentage of this round's labels. Null turns this off. */
export function useScheduleNext(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (at: number | null) => api.put<Round>(`/api/rounds/${id}/next`, { at }),
    onSuccess: (round) => {
      client.setQueryData(roundKey(id), round);
      return client.invalidateQueries({ queryKey: roundsKey(slug) });
    },
  });
}

/** Move a round: pause, resume (or try again), cancel, publish, close. */
export function useRoundAction(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: RoundAction) => api.post<Round>(`/api/rounds/${id}/${action}`),
    onSuccess: (round) => {
      client.setQueryData(roundKey(id), round);
      return Promise.all([
        client.invalidateQueries({ queryKey: roundsKey(slug) }),
        client.invalidateQueries({ queryKey: projectQuery(slug).queryKey }),
        client.invalidateQueries({ queryKey: ["roundProgress", id] }),
        client.invalidateQueries({ queryKey: ["roundReport", id] }),
      ]);
    },
  });
}

/** How many of a round's tasks wait for a reviewer. */
export function useRoundReviews(slug: string, id: number, wanted: boolean) {
  return useQuery({
    queryKey: ["reviews", slug, "counts", id],
    queryFn: ({ signal }) => api.get<ReviewCounts>(`/api/projects/${slug}/reviews/counts?round=${id}`, { signal }),
    enabled: wanted,
  });
}

/** The generators, sources, subjects and levels of the project's traces, with how many traces have each. */
export function useFacetsOfTraces(slug: string) {
  return useQuery({
    queryKey: ["trace_facets", slug],
    queryFn: ({ signal }) => api.get<TraceFacets>(`/api/projects/${slug}/traces/facets`, { signal }),
    staleTime: 60_000,
  });
}

/** Whether closing a round would start a training, in a project that trains at each close. */
export function useTrainingAtClosing(slug: string, closing: number, enabled: boolean) {
  return useQuery({
    queryKey: ["trainingAtClose", slug, closing],
    queryFn: ({ signal }) =>
      api.get<TrainingAtClose>(`/api/projects/${slug}/training_runs/at_close?closing=${closing}`, { signal }),
    enabled,
  });
}
