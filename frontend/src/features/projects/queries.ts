import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import { projectQuery } from "@/api/projects";
import type { AuditEvent, NewProject, OwnInvitation, Project } from "@/api/projectTypes";
import type { Generators } from "@/api/roundTypes";
import { sessionQuery } from "@/api/session";
import type { Session } from "@/api/types";
import type { AuditAsked } from "./auditFilters";

export function useProjects() {
  return usePaged<Project>(["projects"], "/api/projects");
}

/** All of your projects, loaded page by page. */
export function useEveryProject(): Project[] {
  const { rows, hasNextPage, isFetching, isError, fetchNextPage } = useProjects();
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return rows ?? [];
}

export function useOwnInvitations() {
  return usePaged<OwnInvitation>(["own-invitations"], "/api/invitations");
}

export function useJoin() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (invitation: number) => api.post<Session>(`/api/invitations/${invitation}/join`),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["projects"] }),
        client.invalidateQueries({ queryKey: ["own-invitations"] }),
      ]),
  });
}

export function useCreateProject() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (project: NewProject) => api.post<Project>("/api/projects", project),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["projects"] }),
        client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]),
  });
}

export type ProjectSettings = Pick<
  Project,
  | "name"
  | "description"
  | "status"
  | "default_overlap"
  | "default_overlap_most"
  | "default_overlap_needed"
  | "lease_minutes"
  | "revise_window_hours"
  | "reference_solution"
  | "reveal_scores"
  | "session_traces"
  | "rated_unit"
  | "stalled_hours"
  | "hourly_rate"
  | "currency"
  | "answer_kind"
  | "answer_tolerance"
  | "gold_per_round"
  | "screening"
  | "screening_tasks"
  | "screening_share"
  | "screening_retries"
  | "screening_feedback"
  | "trains_at_close"
  | "after_error"
>;

/** The operator's generators, by name. */
export const generatorNamesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["generators", slug],
    queryFn: ({ signal }) => api.get<Generators>(`/api/projects/${slug}/generators`, { signal }),
    staleTime: 60_000,
  });

export function useChangeProject(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: Partial<ProjectSettings>) => api.patch<Project>(`/api/projects/${slug}`, changes),
    onSuccess: (project) => {
      client.setQueryData(projectQuery(slug).queryKey, project);
      return Promise.all([
        client.invalidateQueries({ queryKey: ["projects"] }),
        client.invalidateQueries({ queryKey: ["trainingAtClose", slug] }),
        client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]);
    },
  });
}

export function useAudit(slug: string, asked: AuditAsked) {
  return usePaged<AuditEvent>(["audit", slug], `/api/projects/${slug}/audit`, asked);
}
