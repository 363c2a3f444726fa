import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type { TaskDetail } from "@/api/projectTypes";
import type { Reply, Review, ReviewCounts, ReviewKind, Ruling, WaitingTask } from "@/api/reviewTypes";

export type FullReview = Review & { task: TaskDetail };

export function useReviews(slug: string, kind: string) {
  return usePaged<WaitingTask>(["reviews", slug], `/api/projects/${slug}/reviews`, { kind });
}

export function useReviewCounts(slug: string) {
  return useQuery({
    queryKey: ["reviews", slug, "counts"],
    queryFn: ({ signal }) => api.get<ReviewCounts>(`/api/projects/${slug}/reviews/counts`, { signal }),
  });
}

const reviewKey = (taskId: number) => ["review", taskId];

export function useReview(taskId: number) {
  return useQuery({
    queryKey: reviewKey(taskId),
    queryFn: ({ signal }) => api.get<FullReview>(`/api/tasks/${taskId}/review`, { signal }),
  });
}

/** One thing that a reviewer does to a task; the queue and the task are read again after it. */
function useDecision<Body, Answer>(slug: string, taskId: number, path: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => api.post<Answer>(`/api/tasks/${taskId}/${path}`, body),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: reviewKey(taskId) }),
        client.invalidateQueries({ queryKey: ["reviews", slug] }),
        client.invalidateQueries({ queryKey: ["task", taskId] }),
      ]),
  });
}

export const useSettleTask = (slug: string, id: number) => useDecision<Ruling, FullReview>(slug, id, "settle");
export const useDismiss = (slug: string, id: number) =>
  useDecision<{ kinds: ReviewKind[]; reason: string }, FullReview>(slug, id, "dismiss");
export const useReply = (slug: string, id: number) =>
  useDecision<{ labeler_id: number; step: number; text: string }, Reply>(slug, id, "replies");
export const useBadProblem = (slug: string, id: number) =>
  useDecision<{ reason: string }, { status: string }>(slug, id, "bad_problem");
export const useRestoreProblem = (slug: string, id: number) =>
  useDecision<undefined, { status: string }>(slug, id, "restore_problem");
export const useCorrectAnswer = (slug: string, id: number) =>
  useDecision<{ answer: string; reason: string }, { grading_id: number }>(slug, id, "correct_answer");
export const useRepairSplit = (slug: string, id: number) =>
  useDecision<{ steps: string[]; reason: string }, { trace_id: number; task_id: number | null }>(
    slug,
    id,
    "repair_split",
  );
