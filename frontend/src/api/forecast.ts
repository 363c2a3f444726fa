import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, queryString } from "./client";
import type { Forecast, WaitingThing } from "./homeTypes";

/** The forecast for this many more labels or, without a number, for those that open rounds want. */
export function useForecast(slug: string, labels?: number, enabled = true) {
  return useQuery({
    queryKey: ["forecast", slug, labels ?? null],
    queryFn: ({ signal }) => api.get<Forecast>(`/api/projects/${slug}/forecast${queryString({ labels })}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    enabled,
  });
}

/** What waits for a decision, for Home and the numbers next to the navigation. */
export function useBadges(slug: string, enabled: boolean) {
  return useQuery({
    queryKey: ["badges", slug],
    queryFn: ({ signal }) => api.get<{ waits: WaitingThing[] }>(`/api/projects/${slug}/badges`, { signal }),
    staleTime: 60_000,
    refetchInterval: 120_000,
    enabled,
  });
}
