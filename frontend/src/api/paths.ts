import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Path } from "./pathTypes";

/** A path that was submitted; it is read only and changes no more. */
export function useSubmittedPath(labelId: number) {
  return useQuery({
    queryKey: ["path", labelId],
    queryFn: ({ signal }) => api.get<Path>(`/api/labels/${labelId}/path`, { signal }),
    staleTime: 60_000,
  });
}
