import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, queryString } from "@/api/client";
import type { ChangeLabels, LabelChange, LabelFacets, LabelView, ListedLabel } from "@/api/labelListTypes";
import { usePaged } from "@/api/paged";
import type { Page } from "@/api/types";
import type { LabelFilters } from "./labelWords";

const key = (slug: string) => ["labels", slug];

export function useLabels(slug: string, filters: LabelFilters) {
  return usePaged<ListedLabel>([...key(slug), "list"], `/api/projects/${slug}/labels`, filters);
}

export function useLabelFacets(slug: string, filters: LabelFilters) {
  return useQuery({
    queryKey: [...key(slug), "facets", filters],
    queryFn: ({ signal }) =>
      api.get<LabelFacets>(`/api/projects/${slug}/labels/facets${queryString(filters)}`, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useLabelChanges(slug: string) {
  return useQuery({
    queryKey: [...key(slug), "changes"],
    queryFn: ({ signal }) => api.get<Page<LabelChange>>(`/api/projects/${slug}/label_changes?limit=5`, { signal }),
  });
}

/**
 * Return a function that refetches, after a change, everything about labels and the review queue. It cancels a first
 * answer still on its way: that may be from before the change, but would be taken for the new one.
 */
function useReadAgain(slug: string) {
  const client = useQueryClient();
  return async () => {
    await client.cancelQueries({ queryKey: key(slug) });
    await Promise.all([
      client.invalidateQueries({ queryKey: key(slug) }),
      client.invalidateQueries({ queryKey: ["reviews", slug] }),
    ]);
  };
}

export function useChangeLabels(slug: string) {
  const readAgain = useReadAgain(slug);
  return useMutation({
    mutationFn: (body: Partial<ChangeLabels> & Pick<ChangeLabels, "kind">) =>
      api.post<LabelChange>(`/api/projects/${slug}/label_changes`, body),
    onSuccess: readAgain,
  });
}

export function useUndoLabelChange(slug: string) {
  const readAgain = useReadAgain(slug);
  return useMutation({
    mutationFn: (change: number) => api.post<LabelChange>(`/api/label_changes/${change}/undo`),
    onSuccess: readAgain,
  });
}

export function useLabelViews(slug: string) {
  return useQuery({
    queryKey: [...key(slug), "views"],
    queryFn: ({ signal }) => api.get<{ results: LabelView[] }>(`/api/projects/${slug}/label_views`, { signal }),
  });
}

export function useSaveLabelView(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (view: Omit<LabelView, "id">) => api.post<LabelView>(`/api/projects/${slug}/label_views`, view),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key(slug), "views"] }),
  });
}

export function useRemoveLabelView(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (view: number) => api.post(`/api/label_views/${view}/remove`),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key(slug), "views"] }),
  });
}
