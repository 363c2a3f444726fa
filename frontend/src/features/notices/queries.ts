import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type {
  Delivery,
  NewWebhook,
  Notice,
  Webhook,
  WebhookAsked,
  WebhookChanges,
  WebhookSecret,
  Webhooks,
} from "@/api/deskTypes";
import { usePaged } from "@/api/paged";
import { unreadKey } from "@/api/unread";

const noticesKey = ["notices"];
const webhooksKey = (slug: string) => ["webhooks", slug];
const deliveriesKey = (slug: string) => ["deliveries", slug];
const POLL_MS = 60_000;

export function useNotices() {
  return usePaged<Notice>(noticesKey, "/api/notices", {}, { refetchInterval: POLL_MS });
}

async function noticesChanged(client: QueryClient): Promise<void> {
  await Promise.all([noticesKey, unreadKey].map((queryKey) => client.invalidateQueries({ queryKey })));
}

export function useReadNotice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.post<Notice>(`/api/notices/${id}/read`),
    onSuccess: () => noticesChanged(client),
  });
}

export function useReadAllNotices() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post("/api/notices/read_all"),
    onSuccess: () => noticesChanged(client),
  });
}

export function useWebhooks(slug: string) {
  return useQuery({
    queryKey: webhooksKey(slug),
    queryFn: ({ signal }) => api.get<Webhooks>(`/api/projects/${slug}/webhooks`, { signal }),
  });
}

export function useDeliveries(slug: string) {
  return usePaged<Delivery>(deliveriesKey(slug), `/api/projects/${slug}/deliveries`, {}, { refetchInterval: 10_000 });
}

/** Everything an admin does to webhooks. The lists are refetched after each action. */
export function useWebhookActions(slug: string) {
  const client = useQueryClient();
  const onSuccess = () =>
    Promise.all(
      [webhooksKey(slug), deliveriesKey(slug)].map((queryKey) => client.invalidateQueries({ queryKey })),
    ) as Promise<unknown>;
  return {
    add: useMutation({
      mutationFn: (webhook: WebhookAsked) => api.post<NewWebhook>(`/api/projects/${slug}/webhooks`, webhook),
      onSuccess,
    }),
    change: useMutation({
      mutationFn: ({ id, ...changes }: { id: number } & WebhookChanges) =>
        api.patch<Webhook>(`/api/webhooks/${id}`, changes),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (id: number) => api.post<Webhooks>(`/api/webhooks/${id}/remove`),
      onSuccess,
    }),
    renew: useMutation({ mutationFn: (id: number) => api.post<WebhookSecret>(`/api/webhooks/${id}/secret`) }),
    attempt: useMutation({ mutationFn: (id: number) => api.post<Delivery>(`/api/webhooks/${id}/try`), onSuccess }),
    retry: useMutation({ mutationFn: (id: number) => api.post<Delivery>(`/api/deliveries/${id}/retry`), onSuccess }),
  };
}
