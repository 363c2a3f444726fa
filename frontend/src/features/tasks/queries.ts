import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { hereOnly } from "@/api/here";
import { usePaged } from "@/api/paged";
import type { Lease, Round, TaskDetail, TaskSummary } from "@/api/projectTypes";

type TaskFilters = Record<"q" | "state" | "round", string>;

export function useTasks(slug: string, filters: TaskFilters) {
  return usePaged<TaskSummary>(["tasks", slug], `/api/projects/${slug}/tasks`, filters);
}

/** The rounds to choose from in the filter. */
export function useRoundsOfTasks(slug: string) {
  return usePaged<Round>(["rounds", slug, "ofTasks"], `/api/projects/${slug}/rounds`, { limit: 200 });
}

export function useTask(id: number) {
  return useQuery({
    queryKey: ["task", id],
    queryFn: ({ signal }) => api.get<TaskDetail>(`/api/tasks/${id}`, { signal, headers: hereOnly() }),
  });
}

const leasesKey = (slug: string) => ["leases", slug];

/** Who holds what; requested again every 10 s. */
export function useLeases(slug: string) {
  return usePaged<Lease>(leasesKey(slug), `/api/projects/${slug}/leases`, {}, { refetchInterval: 10_000 });
}

export function useReleaseLabel(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, reason }: { id: number; reason: string }) => api.post(`/api/labels/${id}/release`, { reason }),
    onSuccess: () => client.invalidateQueries({ queryKey: leasesKey(slug) }),
  });
}
