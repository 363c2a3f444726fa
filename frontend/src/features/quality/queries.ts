import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { LabelerQualities, LabelerQuality } from "@/api/qualityTypes";

const labelerQualityKey = (slug: string) => ["labeler-quality", slug];

export function useLabelerQuality(slug: string) {
  return useQuery({
    queryKey: labelerQualityKey(slug),
    queryFn: ({ signal }) => api.get<LabelerQualities>(`/api/projects/${slug}/labeler_quality`, { signal }),
    refetchInterval: 60_000,
  });
}

interface MemberAction {
  id: number;
  what: "pause" | "unpause" | "admit" | "allow_attempt";
  /** The reason for a pause. */
  reason: string;
}

export function useMemberAction(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, what, reason }: MemberAction) =>
      api.post<LabelerQuality>(`/api/projects/${slug}/members/${id}/${what}`, what === "pause" ? { reason } : {}),
    onSuccess: () => client.invalidateQueries({ queryKey: labelerQualityKey(slug) }),
  });
}
