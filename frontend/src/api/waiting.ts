import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { api } from "./client";
import type { components } from "./schema";

export type Waiting = components["schemas"]["WaitingOut"];

/** What workers do before they reach a job or round of the current project; refreshed while it waits. */
export function useWaiting(kind: Waiting["ahead"][number]["kind"], id: number, waits: boolean): Waiting | undefined {
  const { slug = "" } = useParams();
  const { data } = useQuery({
    queryKey: ["waiting", slug, kind, id],
    queryFn: ({ signal }) => api.get<Waiting>(`/api/projects/${slug}/waiting?kind=${kind}&id=${id}`, { signal }),
    enabled: waits,
    refetchInterval: 5_000,
  });
  return data;
}
