import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Feedback, MyQuality } from "@/api/qualityTypes";
import type {
  Claim,
  EarlierLabels,
  Guideline,
  Label,
  LeaseState,
  MyProgress,
  Reference,
  Suggestions,
} from "@/api/types";

/** `begin`: claim even if that begins the labeler's screening. Otherwise the answer says that there is one to begin. */
export function claimNextLabel(slug: string, begin: boolean, ahead: number, signal?: AbortSignal): Promise<Claim> {
  const body = { prefetch: true, begin_screening: begin, ahead };
  return api.post<Claim>(`/api/projects/${slug}/labels/claim`, body, { signal });
}

export function getLabel(labelId: number): Promise<Label> {
  return api.get<Label>(`/api/labels/${labelId}`);
}

export function reopenLabel(labelId: number): Promise<Label> {
  return api.post<Label>(`/api/labels/${labelId}/reopen`);
}

export function releaseLabel(labelId: number): Promise<LeaseState> {
  return api.post<LeaseState>(`/api/labels/${labelId}/release`);
}

export function resumeLabel(labelId: number): Promise<Label> {
  return api.post<Label>(`/api/labels/${labelId}/resume`);
}

export function showReference(labelId: number): Promise<Reference> {
  return api.post<Reference>(`/api/labels/${labelId}/reference`);
}

const LOOK_AGAIN_MS = 1_500;
/** How many times the page asks again. What arrives later is shown when the label is opened again. */
const LOOKS = 200;

/**
 * What machines say about the mistake in a step; asked again while it is being written. The labeler never has to wait.
 */
export const suggestionsQuery = (labelId: number, step: number) =>
  queryOptions({
    queryKey: ["label", labelId, "suggestions", step],
    queryFn: ({ signal }) => api.post<Suggestions>(`/api/labels/${labelId}/suggestions`, { step }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
    refetchInterval: ({ state }) =>
      state.data?.state === "coming" && state.dataUpdateCount < LOOKS ? LOOK_AGAIN_MS : false,
  });

/** Have the steps that are probably wrong explained before the labeler looks at the label. */
export const askAheadQuery = (labelId: number) =>
  queryOptions({
    queryKey: ["label", labelId, "suggestions", "ahead"],
    queryFn: ({ signal }) => api.post<Suggestions>(`/api/labels/${labelId}/suggestions`, { step: null }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export const guidelineOfLabelQuery = (slug: string, version: number) =>
  queryOptions({
    queryKey: ["guideline", slug, version],
    queryFn: ({ signal }) => api.get<Guideline>(`/api/projects/${slug}/guidelines/${version}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const earlierLabelsQuery = (labelId: number) =>
  queryOptions({
    queryKey: ["label", labelId, "earlier"],
    queryFn: ({ signal }) => api.get<EarlierLabels>(`/api/labels/${labelId}/earlier`, { signal }),
    staleTime: 10_000,
  });

export function queueKey(userId: number, slug: string) {
  return ["labeling-queue", userId, slug] as const;
}

const LOOK_MS = 60_000;

export const myProgressKey = (slug: string) => ["my-progress", slug] as const;

/**
 * The header's figures, for the round of the label on the desk. The page counts its own submissions (ownProgress.ts).
 * Those of others arrive once a minute.
 */
export const myProgressQuery = (slug: string, round: number) =>
  queryOptions({
    queryKey: [...myProgressKey(slug), round],
    queryFn: ({ signal }) => api.get<MyProgress>(`/api/projects/${slug}/my_progress?round=${round}`, { signal }),
    staleTime: LOOK_MS,
    // Counting in an own submission restarts the timer, so it runs only for what is left of the minute.
    refetchInterval: ({ state }) =>
      Math.max(1_000, LOOK_MS - (Date.now() - Math.max(state.dataUpdatedAt, state.errorUpdatedAt))),
  });

/** Change the header's figures by what the page itself knows, keeping the time when the server was last asked. */
export function changeProgress(client: QueryClient, slug: string, change: (progress: MyProgress) => MyProgress): void {
  for (const { queryKey, state } of client.getQueryCache().findAll({ queryKey: myProgressKey(slug) })) {
    client.setQueryData<MyProgress>(queryKey, (old) => old && change(old), { updatedAt: state.dataUpdatedAt });
  }
}

export const guidelineQuery = (slug: string) =>
  queryOptions({
    queryKey: ["guideline", slug, "current"],
    queryFn: ({ signal }) => api.get<Guideline>(`/api/projects/${slug}/guidelines/current`, { signal }),
    staleTime: 5 * 60_000,
  });

export const myQualityQuery = (slug: string) =>
  queryOptions({
    queryKey: ["my-quality", slug],
    queryFn: ({ signal }) => api.get<MyQuality>(`/api/projects/${slug}/my_quality`, { signal }),
    staleTime: 0,
  });

export const feedbackQuery = (labelId: number) =>
  queryOptions({
    queryKey: ["feedback", labelId],
    queryFn: ({ signal }) => api.get<Feedback>(`/api/labels/${labelId}/feedback`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export function retryScreening(slug: string): Promise<MyQuality> {
  return api.post<MyQuality>(`/api/projects/${slug}/screening/retry`);
}
