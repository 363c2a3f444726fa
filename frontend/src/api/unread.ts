import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Unread } from "./deskTypes";

export const unreadKey = ["notices-unread"];
const POLL_MS = 60_000;

/** The number of this person's unread notices; refreshed every minute. */
export function useUnread() {
  return useQuery({
    queryKey: unreadKey,
    queryFn: ({ signal }) => api.get<Unread>("/api/notices/unread", { signal }),
    staleTime: POLL_MS, // each trace renders the header again, which is no reason to refetch
    refetchInterval: POLL_MS,
    retry: false,
  });
}
