import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type {
  AcceptedAnswer,
  AnswerCorrection,
  Dismissal,
  GradingStarted,
  NewReply,
  ProblemStatus,
  Reason,
  Reply,
  Review,
  ReviewCounts,
  Settlement,
  SplitRepair,
  SplitRepaired,
  WaitingTask,
  Withdrawal,
} from "@/api/reviewTypes";

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
    queryFn: ({ signal }) => api.get<Review>(`/api/tasks/${taskId}/review`, { signal }),
  });
}

/**
 * A reviewer's action on a task. Afterwards, the queue and the task are refetched. If the server refuses because
 * somebody else has acted on the task meanwhile, the task is refetched as well.
 */
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
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 409)
        await client.invalidateQueries({ queryKey: reviewKey(taskId) });
    },
  });
}

export const useSettleTask = (slug: string, id: number) => useDecision<Settlement, Review>(slug, id, "settle");
export const useWithdrawRuling = (slug: string, id: number) =>
  useDecision<Withdrawal, Review>(slug, id, "withdraw_ruling");
export const useDismiss = (slug: string, id: number) => useDecision<Dismissal, Review>(slug, id, "dismiss");
export const useReply = (slug: string, id: number) => useDecision<NewReply, Reply>(slug, id, "replies");
export const useBadProblem = (slug: string, id: number) => useDecision<Reason, ProblemStatus>(slug, id, "bad_problem");
export const useRestoreProblem = (slug: string, id: number) =>
  useDecision<undefined, ProblemStatus>(slug, id, "restore_problem");
export const useCorrectAnswer = (slug: string, id: number) =>
  useDecision<AnswerCorrection, GradingStarted>(slug, id, "correct_answer");
export const useAcceptAnswer = (slug: string, id: number) =>
  useDecision<AcceptedAnswer, GradingStarted>(slug, id, "accept_answer");
export const useRepairSplit = (slug: string, id: number) =>
  useDecision<SplitRepair, SplitRepaired>(slug, id, "repair_split");
