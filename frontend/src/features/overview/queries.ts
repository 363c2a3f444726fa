import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Home, SelectorNews } from "@/api/homeTypes";
import type { Overview } from "@/api/projectTypes";

/** Progress, mixes and people of a project; asked again every 15 s while the page is in front. */
export function useOverview(slug: string) {
  return useQuery({
    queryKey: ["overview", slug],
    queryFn: ({ signal }) => api.get<Overview>(`/api/projects/${slug}/overview`, { signal }),
    refetchInterval: 15_000,
  });
}

/** Which PRM selects, and how it stands against the one before it: a second of work, and it changes with a promotion. */
export function useSelector(slug: string) {
  return useQuery({
    queryKey: ["selector", slug],
    queryFn: ({ signal }) => api.get<SelectorNews>(`/api/projects/${slug}/selector`, { signal }),
    staleTime: 300_000,
  });
}

/** How good the labels are, and what more of them would teach. */
export function useHome(slug: string) {
  return useQuery({
    queryKey: ["home", slug],
    queryFn: ({ signal }) => api.get<Home>(`/api/projects/${slug}/home`, { signal }),
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
}
