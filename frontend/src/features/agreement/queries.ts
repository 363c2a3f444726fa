import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, FIGURES_TIMEOUT_MS, queryString } from "@/api/client";
import type { Agreement, Disputed } from "@/api/reviewTypes";

export const FILTERS = ["round", "subject", "level", "one", "other", "base"] as const;
/** Return whether two different labelers are chosen. */
export function isPair({ one, other }: AgreementFilters): boolean {
  return one !== "" && other !== "" && one !== other;
}

export type AgreementFilters = Record<(typeof FILTERS)[number], string>;

/** Return the address of the figures. A pair is sent only if it is complete. */
export function agreementPath(slug: string, filters: AgreementFilters, suffix = ""): string {
  const { one, other, ...rest } = filters;
  const pair = isPair(filters) ? { one, other } : {};
  return `/api/projects/${slug}/agreement${suffix}${queryString({ ...rest, ...pair })}`;
}

/** The traces on which the two chosen labelers differ; requested only for a complete pair. */
export function useDisputed(slug: string, filters: AgreementFilters) {
  const path = agreementPath(slug, filters, "/disputed");
  return useQuery({
    queryKey: ["disputed", path],
    queryFn: ({ signal }) => api.get<Disputed>(path, { signal }),
    enabled: isPair(filters),
    placeholderData: keepPreviousData,
  });
}

export function useAgreement(slug: string, filters: AgreementFilters) {
  const path = agreementPath(slug, filters);
  return useQuery({
    queryKey: ["agreement", path],
    queryFn: ({ signal }) => api.get<Agreement>(path, { signal, timeoutMs: FIGURES_TIMEOUT_MS }),
    placeholderData: keepPreviousData,
  });
}
