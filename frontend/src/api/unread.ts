import { useQuery } from "@tanstack/react-query";
import { api } from "./client";

export const unreadKey = ["notices-unread"];
const POLL_MS = 60_000;

/** How many notices this person has not read; asked again every minute. */
export function useUnread() {
  return useQuery({
    queryKey: unreadKey,
    queryFn: ({ signal }) => api.get<{ unread: number }>("/api/notices/unread", { signal }),
    refetchInterval: POLL_MS,
    retry: false,
  });
}
