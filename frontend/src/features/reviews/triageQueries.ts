import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type { Round } from "@/api/projectTypes";
import type { Ruling } from "@/api/reviewTypes";
import type { Prm } from "@/api/roundTypes";
import type {
  BlindItem,
  NewTriage,
  NextItem,
  Triage,
  TriageCounts,
  TriageQuestion,
  TriageSummary,
} from "@/api/triageTypes";
import type { Page } from "@/api/types";

const listKey = (slug: string) => ["triages", slug];
const triageKey = (id: number) => ["triage", id];

export function useTriages(slug: string) {
  return usePaged<TriageSummary>(listKey(slug), `/api/projects/${slug}/triages`);
}

export function useTriage(id: number) {
  return useQuery({
    queryKey: triageKey(id),
    queryFn: ({ signal }) => api.get<Triage>(`/api/triages/${id}`, { signal }),
  });
}

/** The PRMs that can say how likely a rating is. */
export function useTriagePrms(slug: string) {
  return useQuery({
    queryKey: ["prms", slug],
    queryFn: async ({ signal }) =>
      (await api.get<{ results: Prm[] }>(`/api/projects/${slug}/prms`, { signal })).results,
    select: (prms) =>
      prms.filter((prm) => prm.status === "ready" && prm.scale === "probability" && prm.target === "steps"),
  });
}

export function useRoundChoices(slug: string) {
  return useQuery({
    queryKey: ["roundChoices", slug],
    queryFn: async ({ signal }) =>
      (await api.get<Page<Round>>(`/api/projects/${slug}/rounds?limit=200`, { signal })).results,
  });
}

/** How many labels a triage could choose from. The older numbers stay meanwhile. */
export function useTriagePreview(slug: string, question: TriageQuestion | null) {
  return useQuery({
    queryKey: ["triagePreview", slug, question],
    queryFn: ({ signal }) => api.post<TriageCounts>(`/api/projects/${slug}/triages/preview`, question, { signal }),
    enabled: question !== null,
    placeholderData: keepPreviousData,
  });
}

export function useCreateTriage(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: NewTriage) => api.post<Triage>(`/api/projects/${slug}/triages`, asked),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: listKey(slug) }),
        client.invalidateQueries({ queryKey: ["triagePreview", slug] }),
      ]),
  });
}

/** End a triage, or undo one. What it corrected waits for nobody, or does again: the review queue is read anew too. */
export function useEndTriage(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (how: "finish" | "cancel" | "undo") => api.post<Triage>(`/api/triages/${id}/${how}`),
    onSuccess: (triage) => {
      client.setQueryData(triageKey(id), triage);
      return Promise.all([
        client.invalidateQueries({ queryKey: listKey(slug) }),
        client.invalidateQueries({ queryKey: ["reviews", slug] }),
        client.invalidateQueries({ queryKey: ["triagePreview", slug] }),
      ]);
    },
  });
}

/** What one reviews now: the next trace, the one after a place that is put off, or one that was reviewed before. */
export interface Turn {
  /** Counts up with every turn, so that each asks anew. */
  number: number;
  after: number | null;
  again: number | null;
}

export function useTurn(triageId: number, turn: Turn) {
  return useQuery({
    queryKey: ["triageTurn", triageId, turn],
    queryFn: async ({ signal }): Promise<NextItem> => {
      if (turn.again === null) {
        return api.post<NextItem>(`/api/triages/${triageId}/next`, { after: turn.after }, { signal });
      }
      const [item, { progress }] = await Promise.all([
        api.get<BlindItem>(`/api/triage_items/${turn.again}`, { signal }),
        api.get<Triage>(`/api/triages/${triageId}`, { signal }),
      ]);
      return { item, progress };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

export function useReviewItem(slug: string, triageId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ruling }: { id: number; ruling: Ruling }) =>
      api.post<BlindItem>(`/api/triage_items/${id}/review`, ruling),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: triageKey(triageId) }),
        client.invalidateQueries({ queryKey: listKey(slug) }),
      ]),
  });
}
