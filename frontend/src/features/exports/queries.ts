import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Labelers } from "@/api/deskTypes";
import type { Export, ExportPreview, LabelPush, LabelPushes, LabelSorts, NewExport } from "@/api/jobTypes";
import { usePaged } from "@/api/paged";
import type { Round, TraceFacets } from "@/api/projectTypes";

const exportsKey = (slug: string) => ["exports", slug];

export function isOver(job: Pick<Export, "status">): boolean {
  return job.status === "succeeded" || job.status === "failed" || job.status === "cancelled";
}

export function useExports(slug: string) {
  return usePaged<Export>(exportsKey(slug), `/api/projects/${slug}/exports`, {}, { refetchInterval: 10_000 });
}

/** One export, requested again every second until it ends. */
export function useExport(id: number) {
  return useQuery({
    queryKey: ["export", id],
    queryFn: ({ signal }) => api.get<Export>(`/api/exports/${id}`, { signal }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 1_000),
  });
}

const pushesKey = (id: number) => ["export", id, "pushes"];

/** Where an export can be and was sent, requested again every second while a worker sends it. */
export function usePushes(id: number, enabled: boolean) {
  return useQuery({
    queryKey: pushesKey(id),
    queryFn: ({ signal }) => api.get<LabelPushes>(`/api/exports/${id}/pushes`, { signal }),
    refetchInterval: ({ state }) => (state.data?.pushes.every(isOver) === false ? 1_000 : false),
    enabled,
  });
}

export function usePushExport(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (target: string) => api.post<LabelPush>(`/api/exports/${id}/push`, { target }),
    onSuccess: () => client.invalidateQueries({ queryKey: pushesKey(id) }),
  });
}

export function useManifest(id: number, enabled: boolean) {
  return useQuery({
    queryKey: ["manifest", id],
    queryFn: ({ signal }) => api.get<Record<string, unknown>>(`/api/exports/${id}/manifest`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
}

/** How many labels there are, and how many of them a switch may leave out. */
export function useLabelSorts(slug: string) {
  return useQuery({
    queryKey: ["label_sorts", slug],
    queryFn: ({ signal }) => api.get<LabelSorts>(`/api/projects/${slug}/label_sorts`, { signal }),
  });
}

/** What decides which labels an export has. */
export type ExportQuestion = Pick<NewExport, "format" | "filters" | "switches">;

/** How many labels this export would have; the previous number until a newer one arrives. */
export function useExportPreview(slug: string, question: ExportQuestion) {
  return useQuery({
    queryKey: ["exportPreview", slug, question],
    queryFn: ({ signal }) => api.post<ExportPreview>(`/api/projects/${slug}/exports/preview`, question, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useCreateExport(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: NewExport) => api.post<Export>(`/api/projects/${slug}/exports`, asked),
    onSuccess: () => client.invalidateQueries({ queryKey: exportsKey(slug) }),
  });
}

/** The rounds to choose from in the form. */
export function useRoundsToExport(slug: string) {
  return usePaged<Round>(["rounds", slug, "toExport"], `/api/projects/${slug}/rounds`, { limit: 200 });
}

/** Everybody who labeled here, including imported labelers. */
export function useLabelersToExport(slug: string) {
  return useQuery({
    queryKey: ["labelers", slug],
    queryFn: ({ signal }) => api.get<Labelers>(`/api/projects/${slug}/labelers`, { signal }),
  });
}

/** The subjects of the project's problems, the most common among traces first. */
export function useSubjectsToExport(slug: string) {
  return useQuery({
    queryKey: ["trace_facets", slug],
    queryFn: ({ signal }) => api.get<TraceFacets>(`/api/projects/${slug}/traces/facets`, { signal }),
    staleTime: 60_000,
    select: ({ facets }) => facets.find(({ name }) => name === "subject"),
  });
}
