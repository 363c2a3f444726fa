import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { hereOnly } from "@/api/here";
import type {
  BlindItem,
  LabelAudit,
  LabelAuditCounts,
  LabelAuditQuestion,
  LabelAuditSummary,
  NewLabelAudit,
  NextItem,
} from "@/api/labelAuditTypes";
import { usePaged } from "@/api/paged";
import type { Round } from "@/api/projectTypes";
import type { Ruling } from "@/api/reviewTypes";
import type { Prms } from "@/api/roundTypes";
import type { Sources } from "@/api/sourceTypes";
import type { Page } from "@/api/types";

const listKey = (slug: string) => ["labelAudits", slug];
const labelAuditKey = (id: number) => ["labelAudit", id];

export function useLabelAudits(slug: string) {
  return usePaged<LabelAuditSummary>(listKey(slug), `/api/projects/${slug}/label_audits`);
}

export function useLabelAudit(id: number) {
  return useQuery({
    queryKey: labelAuditKey(id),
    queryFn: ({ signal }) => api.get<LabelAudit>(`/api/label_audits/${id}`, { signal, headers: hereOnly() }),
  });
}

/** The PRMs that can say how likely a rating is. */
export function useLabelAuditPrms(slug: string) {
  return useQuery({
    queryKey: ["prms", slug],
    queryFn: async ({ signal }) =>
      (await api.get<Prms>(`/api/projects/${slug}/prms`, { signal })).results.filter((prm) => prm.kind === "prm"),
    select: (prms) =>
      prms.filter((prm) => prm.status === "ready" && prm.scale === "probability" && prm.target === "steps"),
  });
}

/** The sources of machine labels that have marked traces here. */
export function useLabelAuditSources(slug: string) {
  return useQuery({
    queryKey: ["sources", slug],
    queryFn: ({ signal }) => api.get<Sources>(`/api/projects/${slug}/sources`, { signal }),
    select: ({ results }) => results.filter((one) => one.scored > 0),
  });
}

export function useRoundChoices(slug: string) {
  return useQuery({
    queryKey: ["roundChoices", slug],
    queryFn: async ({ signal }) =>
      (await api.get<Page<Round>>(`/api/projects/${slug}/rounds?limit=200`, { signal })).results,
  });
}

/** How many labels a label audit could choose from. Older numbers stay meanwhile. */
export function useLabelAuditPreview(slug: string, question: LabelAuditQuestion | null) {
  return useQuery({
    queryKey: ["labelAuditPreview", slug, question],
    queryFn: ({ signal }) =>
      api.post<LabelAuditCounts>(`/api/projects/${slug}/label_audits/preview`, question, { signal }),
    enabled: question !== null,
    placeholderData: keepPreviousData,
  });
}

export function useCreateLabelAudit(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: NewLabelAudit) => api.post<LabelAudit>(`/api/projects/${slug}/label_audits`, asked),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: listKey(slug) }),
        client.invalidateQueries({ queryKey: ["labelAuditPreview", slug] }),
      ]),
  });
}

/**
 * End or undo a label audit. What it corrected leaves the review queue or returns to it, so the queue is refetched too.
 */
export function useEndLabelAudit(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (how: "finish" | "cancel" | "undo") => api.post<LabelAudit>(`/api/label_audits/${id}/${how}`),
    onSuccess: (labelAudit) => {
      client.setQueryData(labelAuditKey(id), labelAudit);
      return Promise.all([
        client.invalidateQueries({ queryKey: listKey(slug) }),
        client.invalidateQueries({ queryKey: ["reviews", slug] }),
        client.invalidateQueries({ queryKey: ["labelAuditPreview", slug] }),
      ]);
    },
  });
}

/** What you review now: the next trace, the one after a place that was put off, or one reviewed before. */
export interface Turn {
  /** Increases with every turn, so that each asks the server again. */
  number: number;
  after: number | null;
  again: number | null;
}

export function useTurn(labelAuditId: number, turn: Turn) {
  return useQuery({
    queryKey: ["labelAuditTurn", labelAuditId, turn],
    queryFn: async ({ signal }): Promise<NextItem> => {
      if (turn.again === null) {
        return api.post<NextItem>(`/api/label_audits/${labelAuditId}/next`, { after: turn.after }, { signal });
      }
      const [item, { progress }] = await Promise.all([
        api.get<BlindItem>(`/api/label_audit_items/${turn.again}`, { signal }),
        api.get<LabelAudit>(`/api/label_audits/${labelAuditId}`, { signal, headers: hereOnly() }),
      ]);
      return { item, progress };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

export function useReviewItem(slug: string, labelAuditId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ruling }: { id: number; ruling: Ruling }) =>
      api.post<BlindItem>(`/api/label_audit_items/${id}/review`, ruling),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: labelAuditKey(labelAuditId) }),
        client.invalidateQueries({ queryKey: listKey(slug) }),
      ]),
  });
}
