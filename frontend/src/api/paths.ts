import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Path } from "./pathTypes";

/** A submitted path; it is read-only and does not change any more. */
export function useSubmittedPath(labelId: number) {
  return useQuery({
    queryKey: ["path", labelId],
    queryFn: ({ signal }) => api.get<Path>(`/api/labels/${labelId}/path`, { signal }),
    staleTime: 60_000,
  });
}
