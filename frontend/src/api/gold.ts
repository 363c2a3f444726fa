import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { usePaged } from "./paged";
import type { GoldCounts, GoldItem, GoldSaid } from "./qualityTypes";

const listKey = (slug: string) => ["gold", slug];
const countsKey = (slug: string) => ["gold-counts", slug];
const itemKey = (id: number) => ["gold-item", id];

export function useGold(slug: string, status: string) {
  return usePaged<GoldItem>(listKey(slug), `/api/projects/${slug}/gold`, { status });
}

export function useGoldCounts(slug: string) {
  return useQuery({
    queryKey: countsKey(slug),
    queryFn: ({ signal }) => api.get<GoldCounts>(`/api/projects/${slug}/gold/counts`, { signal }),
  });
}

/** One gold item; without an id nothing is requested. */
export function useGoldItem(id: number | null) {
  return useQuery({
    queryKey: itemKey(id ?? 0),
    queryFn: ({ signal }) => api.get<GoldItem>(`/api/gold/${id}`, { signal }),
    enabled: id !== null,
  });
}

function useGoldMutation<T>(slug: string, send: (input: T) => Promise<GoldItem>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (item) => {
      client.setQueryData(itemKey(item.id), item);
      return Promise.all([
        client.invalidateQueries({ queryKey: listKey(slug) }),
        client.invalidateQueries({ queryKey: countsKey(slug) }),
        client.invalidateQueries({ queryKey: ["labeler-quality", slug] }),
        client.invalidateQueries({ queryKey: ["trace", item.trace_id] }),
        client.invalidateQueries({ queryKey: ["review"] }),
      ]);
    },
  });
}

function useMakeGold(slug: string) {
  return useGoldMutation(slug, ({ traceId, said }: { traceId: number; said: GoldSaid }) =>
    api.post<GoldItem>(`/api/traces/${traceId}/gold`, said),
  );
}

export function useChangeGold(slug: string) {
  return useGoldMutation(slug, ({ id, said }: { id: number; said: GoldSaid }) =>
    api.patch<GoldItem>(`/api/gold/${id}`, said),
  );
}

export function useRetireGold(slug: string) {
  return useGoldMutation(slug, ({ id, reason }: { id: number; reason: string }) =>
    api.post<GoldItem>(`/api/gold/${id}/retire`, { reason }),
  );
}

export function useRestoreGold(slug: string) {
  return useGoldMutation(slug, (id: number) => api.post<GoldItem>(`/api/gold/${id}/restore`));
}

/** Make a trace gold, or change its active gold item. */
export function useSaveGold(slug: string, traceId: number, item: GoldItem | null) {
  const make = useMakeGold(slug);
  const change = useChangeGold(slug);
  return {
    save: (said: GoldSaid, onSuccess: () => void) =>
      item?.status === "active"
        ? change.mutate({ id: item.id, said }, { onSuccess })
        : make.mutate({ traceId, said }, { onSuccess }),
    error: make.error ?? change.error,
    busy: make.isPending || change.isPending,
  };
}
