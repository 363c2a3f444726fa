import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Project } from "./projectTypes";

export function projectQuery(slug: string) {
  return queryOptions({
    queryKey: ["project", slug],
    queryFn: ({ signal }) => api.get<Project>(`/api/projects/${slug}`, { signal }),
    staleTime: 30_000,
  });
}

/** The current project, with the person's own role in it. */
export function useProject(slug: string) {
  return useQuery(projectQuery(slug));
}
