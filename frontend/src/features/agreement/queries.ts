import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, queryString } from "@/api/client";
import type { Agreement } from "@/api/reviewTypes";

export const FILTERS = ["round", "subject", "level", "one", "other", "base"] as const;
export type AgreementFilters = Record<(typeof FILTERS)[number], string>;

/** The address of the figures; a pair is sent only when it is complete. */
export function agreementPath(slug: string, filters: AgreementFilters, suffix = ""): string {
  const { one, other, ...rest } = filters;
  const pair = one !== "" && other !== "" && one !== other ? { one, other } : {};
  return `/api/projects/${slug}/agreement${suffix}${queryString({ ...rest, ...pair })}`;
}

export function useAgreement(slug: string, filters: AgreementFilters) {
  const path = agreementPath(slug, filters);
  return useQuery({
    queryKey: ["agreement", path],
    queryFn: ({ signal }) => api.get<Agreement>(path, { signal, timeoutMs: 120_000 }),
    placeholderData: keepPreviousData,
  });
}
