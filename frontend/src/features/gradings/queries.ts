import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { hereOnly } from "@/api/here";
import { usePaged } from "@/api/paged";
import type { Grading, GradingDifference, GradingScope, LeaveOut } from "@/api/roundTypes";

const gradingsKey = (slug: string) => ["gradings", slug];
const gradingKey = (id: number) => ["grading", id];

export function isOver(grading: Pick<Grading, "status">): boolean {
  return grading.status !== "queued" && grading.status !== "running";
}

export function useGradings(slug: string) {
  return usePaged<Grading>(gradingsKey(slug), `/api/projects/${slug}/gradings`, {}, { refetchInterval: 5_000 });
}

/** One grading, requested again every second until it ends. */
export function useGrading(id: number) {
  return useQuery({
    queryKey: gradingKey(id),
    queryFn: ({ signal }) => api.get<Grading>(`/api/gradings/${id}`, { signal, headers: hereOnly() }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 1_000),
  });
}

type DifferenceFilters = Record<"outcome" | "outcome_before", string>;

export function useDifferences(grading: Grading, filters: DifferenceFilters) {
  return usePaged<GradingDifference>(
    ["gradingDifferences", grading.id],
    `/api/gradings/${grading.id}/differences`,
    filters,
    {
      enabled: grading.status === "succeeded" && grading.differences > 0,
    },
  );
}

/** The traces that are not graded and were not before, with the reasons. */
export function useNotGraded(grading: Grading) {
  return usePaged<GradingDifference>(
    ["gradingDifferences", grading.id, "unchanged"],
    `/api/gradings/${grading.id}/differences`,
    { unchanged: "true", outcome: "ungraded" },
    { enabled: isListed(grading) },
  );
}

/** Does a grading still have its list of traces that are not graded? A later one deletes it. */
export function isListed({ status, stage, can_apply, counts }: Grading): boolean {
  return status === "succeeded" && counts.ungraded > 0 && (can_apply || stage === "applying");
}

export function useCreateGrading(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (scope: GradingScope) => api.post<Grading>(`/api/projects/${slug}/gradings`, { scope }),
    onSuccess: () => client.invalidateQueries({ queryKey: gradingsKey(slug) }),
  });
}

/** Apply a grading, or cancel it. */
export function useGradingAction(slug: string, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: "apply" | "cancel") => api.post<Grading>(`/api/gradings/${id}/${action}`),
    onSuccess: (grading) => {
      client.setQueryData(gradingKey(id), grading);
      return client.invalidateQueries({ queryKey: gradingsKey(slug) });
    },
  });
}

/** Untick a difference, so that applying leaves its trace as it is, or tick it again. */
export function useLeaveOut(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: LeaveOut) => api.post<Grading>(`/api/gradings/${id}/leave_out`, asked),
    onSuccess: (grading) => {
      client.setQueryData(gradingKey(id), grading);
      return client.invalidateQueries({ queryKey: ["gradingDifferences", id] });
    },
  });
}

/** Refetch everything that shows outcomes after a grading was applied. */
export function useForgetOutcomes(slug: string) {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["traces", slug] }),
      client.invalidateQueries({ queryKey: ["overview", slug] }),
      client.invalidateQueries({ queryKey: ["pool", slug] }),
      client.invalidateQueries({ queryKey: gradingsKey(slug) }),
    ]);
}
