import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { LabelerStanding, Standings } from "@/api/qualityTypes";

const standingsKey = (slug: string) => ["standings", slug];

export function useStandings(slug: string) {
  return useQuery({
    queryKey: standingsKey(slug),
    queryFn: ({ signal }) => api.get<Standings>(`/api/projects/${slug}/standings`, { signal }),
    refetchInterval: 60_000,
  });
}

interface MemberAction {
  id: number;
  what: "pause" | "unpause" | "admit" | "allow_attempt";
  /** Of a pause. */
  reason: string;
}

export function useMemberAction(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, what, reason }: MemberAction) =>
      api.post<LabelerStanding>(`/api/projects/${slug}/members/${id}/${what}`, what === "pause" ? { reason } : {}),
    onSuccess: () => client.invalidateQueries({ queryKey: standingsKey(slug) }),
  });
}
