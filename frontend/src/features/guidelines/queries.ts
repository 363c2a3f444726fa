import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type { GuidelineVersion } from "@/api/projectTypes";
import type { Guideline } from "@/api/types";

interface NewGuideline {
  body: string;
  /** The newest version the author knew of. */
  after: number;
}

const guidelinesKey = (slug: string) => ["guidelines", slug];

/**
 * One version of the guidelines. Null asks for the version in force (version 0, which is empty, if none was published).
 */
export function useGuideline(slug: string, version: number | null) {
  return useQuery({
    queryKey: [...guidelinesKey(slug), version ?? "current"],
    queryFn: ({ signal }) => api.get<Guideline>(`/api/projects/${slug}/guidelines/${version ?? "current"}`, { signal }),
  });
}

export function useGuidelines(slug: string) {
  return usePaged<GuidelineVersion>([...guidelinesKey(slug), "list"], `/api/projects/${slug}/guidelines`);
}

export function usePublishGuideline(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (text: NewGuideline) => api.post<Guideline>(`/api/projects/${slug}/guidelines`, text),
    onSuccess: () => client.invalidateQueries({ queryKey: guidelinesKey(slug) }),
  });
}
