import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Overview } from "@/api/projectTypes";

/** Progress, mixes and people of a project; asked again every 15 s while the page is in front. */
export function useOverview(slug: string) {
  return useQuery({
    queryKey: ["overview", slug],
    queryFn: ({ signal }) => api.get<Overview>(`/api/projects/${slug}/overview`, { signal }),
    refetchInterval: 15_000,
  });
}
