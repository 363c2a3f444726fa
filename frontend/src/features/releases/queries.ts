import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, queryString } from "@/api/client";
import { hereOnly } from "@/api/here";
import type { Export } from "@/api/jobTypes";
import { usePaged } from "@/api/paged";
import type {
  FoundRow,
  Incident,
  NewRelease,
  Release,
  ReleaseCard,
  ReleaseDiff,
  ReleasedLabel,
  ReleaseLabelers,
  ReleaseSummary,
  WentInto,
} from "@/api/releaseTypes";

const releasesKey = (slug: string) => ["releases", slug];
const releaseKey = (id: number) => ["release", id];

export function isOver({ status }: { status: string }): boolean {
  return status !== "queued" && status !== "running";
}

export function useReleases(slug: string) {
  return usePaged<ReleaseSummary>(releasesKey(slug), `/api/projects/${slug}/releases`, {}, { refetchInterval: 10_000 });
}

/** One release, requested again every second while a worker is busy with it, or with a push of it. */
export function useRelease(id: number) {
  return useQuery({
    queryKey: releaseKey(id),
    queryFn: ({ signal }) => api.get<Release>(`/api/releases/${id}`, { signal, headers: hereOnly() }),
    refetchInterval: ({ state }) =>
      state.data && isOver(state.data) && state.data.pushes.every(isOver) ? false : 1_000,
  });
}

/** The card, which is rewritten when its sources change. */
export function useReleaseCard(release: Release) {
  const answers = release.questions.map(({ answer }) => answer);
  return useQuery({
    queryKey: ["releaseCard", release.id, release.status, release.overlaps, answers],
    queryFn: ({ signal }) => api.get<ReleaseCard>(`/api/releases/${release.id}/card`, { signal }),
  });
}

export function useExportsToRelease(slug: string) {
  return usePaged<Export>(["exports", slug, "toRelease"], `/api/projects/${slug}/exports`, { limit: 50 });
}

export function useCreateRelease(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: NewRelease) => api.post<Release>(`/api/projects/${slug}/releases`, asked),
    onSuccess: () => client.invalidateQueries({ queryKey: releasesKey(slug) }),
  });
}

type ReleaseStep = "check" | "publish" | "repack" | "withdraw";

/** An action on a release as a whole. */
export function useReleaseStep(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ step, ...body }: { step: ReleaseStep; because?: string }) =>
      api.post<Release>(`/api/releases/${id}/${step}`, body),
    onSuccess: (release) => client.setQueryData(releaseKey(id), release),
  });
}

/** Delete a draft. */
export function useRemoveDraft(id: number, slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<ReleaseSummary>(`/api/releases/${id}/remove`),
    onSuccess: () => client.invalidateQueries({ queryKey: releasesKey(slug) }),
  });
}

export function useAnswerRelease(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answers: Record<string, string>) => api.patch<Release>(`/api/releases/${id}`, { answers }),
    onSuccess: (release) => client.setQueryData(releaseKey(id), release),
  });
}

export function usePushRelease(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (target: string) => api.post(`/api/releases/${id}/push`, { target }),
    onSuccess: () => client.invalidateQueries({ queryKey: releaseKey(id) }),
  });
}

export function useReleaseDiff(id: number, before: string) {
  return useQuery({
    queryKey: ["releaseDiff", id, before],
    queryFn: ({ signal }) => api.get<ReleaseDiff>(`/api/releases/${id}/diff${queryString({ before })}`, { signal }),
  });
}

export function useReleaseLabelers(id: number) {
  return useQuery({
    queryKey: ["releaseLabelers", id],
    queryFn: ({ signal }) => api.get<ReleaseLabelers>(`/api/releases/${id}/labelers`, { signal }),
  });
}

export function useReleasedLabels(id: number, labeler: string) {
  return usePaged<ReleasedLabel>(["releasedLabels", id, labeler], `/api/releases/${id}/labels`, { labeler });
}

export function useIncident(id: number, label: number) {
  return useQuery({
    queryKey: ["incident", id, label],
    queryFn: ({ signal }) => api.get<Incident>(`/api/releases/${id}/labels/${label}`, { signal }),
  });
}

export function useFindRow(id: number) {
  return useMutation({
    mutationFn: (asked: { row: string; file: string }) => api.post<FoundRow>(`/api/releases/${id}/find_row`, asked),
  });
}

export function useTracedLabeler(id: number, labeler: string) {
  return useQuery({
    queryKey: ["tracedLabeler", id, labeler],
    queryFn: ({ signal }) =>
      api.get<WentInto>(`/api/releases/${id}/trace_labeler${queryString({ labeler })}`, { signal }),
    enabled: labeler !== "",
  });
}

export function useReleaseWithout(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ release, labeler }: { release: number; labeler: string }) =>
      api.post<Release>(`/api/releases/${release}/without`, { labeler }),
    onSuccess: () => client.invalidateQueries({ queryKey: releasesKey(slug) }),
  });
}
