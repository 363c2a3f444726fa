import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Unread } from "./deskTypes";

export const unreadKey = ["notices-unread"];
const POLL_MS = 60_000;

/** How many notices this person has not read; asked again every minute. */
export function useUnread() {
  return useQuery({
    queryKey: unreadKey,
    queryFn: ({ signal }) => api.get<Unread>("/api/notices/unread", { signal }),
    staleTime: POLL_MS, // each trace draws the header anew, and is no reason to ask
    refetchInterval: POLL_MS,
    retry: false,
  });
}
