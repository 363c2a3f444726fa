"""The review queue, one task under review, reviewers' decisions, and the labelers' side of threads."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import problem_withdrawals, reviews, trace_repairs
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import checked, read_body, signed_in
from labeling.api.serializers.reviews import (
    AcceptAnswerIn,
    BrowseReviewsIn,
    CorrectAnswerIn,
    CountReviewsIn,
    DismissIn,
    GradingStarted,
    OwnReplyIn,
    ProblemStatusOut,
    ReasonIn,
    RepairSplitIn,
    ReplyIn,
    ReplyOut,
    ReviewCounts,
    ReviewOut,
    SettleTaskIn,
    SplitRepaired,
    ThreadOut,
    WaitingTask,
    WithdrawRulingIn,
    with_kinds,
    with_own_labels,
)
from labeling.queries.projects import ANNOTATOR, RESEARCHER, get_project_as
from labeling.queries.reviews import get_reviewable_task


@extend_schema(responses=paged(WaitingTask), parameters=[BrowseReviewsIn, *PAGE_PARAMETERS])
@api_view(["GET"])
def list_reviews(request: Request, slug: str) -> Response:
    """The tasks that wait for a reviewer, for any reason or for one kind."""
    asked = BrowseReviewsIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    reader = signed_in(request)
    project = get_project_as(reader, slug, RESEARCHER)
    tasks = queries.reviews.waiting_for(reader, project, asked.validated_data.get("kind", ""))
    return page_of(request, tasks, WaitingTask, order=("id",), prepared=lambda page: with_kinds(project, page))


@extend_schema(responses=ReviewCounts, parameters=[CountReviewsIn])
@api_view(["GET"])
def count_reviews(request: Request, slug: str) -> Response:
    """How many tasks wait for a reviewer, by reason, in the whole project or in one round."""
    asked = checked(request.query_params.dict(), CountReviewsIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(ReviewCounts, queries.reviews.waiting_counts(project, **asked))


@extend_schema(responses=ReviewOut)
@api_view(["GET"])
def get_review(request: Request, task_id: int) -> Response:
    """One task with its labels side by side, and the decisions about it."""
    task = get_reviewable_task(signed_in(request), task_id)
    return answer(ReviewOut, queries.reviews.reviewed(task))


@extend_schema(request=SettleTaskIn, responses=ReviewOut)
@api_view(["POST"])
def settle_task(request: Request, task_id: int) -> Response:
    """Settle a task with a ruling. The labels stay as they are."""
    body = read_body(request, SettleTaskIn)
    task = get_reviewable_task(signed_in(request), task_id)
    reviews.settle_task(task, by=signed_in(request), **body)
    return answer(ReviewOut, queries.reviews.reviewed(task))


@extend_schema(request=WithdrawRulingIn, responses=ReviewOut)
@api_view(["POST"])
def withdraw_ruling(request: Request, task_id: int) -> Response:
    """Withdraw a ruling. The task is as it was before, and waits again if its labels differ."""
    body = read_body(request, WithdrawRulingIn)
    task = get_reviewable_task(signed_in(request), task_id)
    reviews.withdraw_ruling(task, by=signed_in(request), **body)
    return answer(ReviewOut, queries.reviews.reviewed(task))


@extend_schema(request=DismissIn, responses=ReviewOut)
@api_view(["POST"])
def dismiss_review(request: Request, task_id: int) -> Response:
    """Dismiss these reasons for review: they need no further action."""
    body = read_body(request, DismissIn)
    task = get_reviewable_task(signed_in(request), task_id)
    reviews.dismiss(task, by=signed_in(request), **body)
    return answer(ReviewOut, queries.reviews.reviewed(task))


@extend_schema(request=ReplyIn, responses={201: ReplyOut})
@api_view(["POST"])
def reply_to_labeler(request: Request, task_id: int) -> Response:
    """Answer one labeler of the task at a step. Only that labeler and reviewers see it."""
    body = read_body(request, ReplyIn)
    task = get_reviewable_task(signed_in(request), task_id)
    return answer(ReplyOut, reviews.reply(task, author=signed_in(request), **body), 201)


@extend_schema(request=OwnReplyIn, responses={201: ReplyOut})
@api_view(["POST"])
def reply_to_reviewer(request: Request, label_id: int) -> Response:
    """Answer a reviewer at a step of your own label."""
    body = read_body(request, OwnReplyIn)
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    author = signed_in(request)
    reply = reviews.reply(label.task, labeler_id=author.pk, author=author, **body)
    return answer(ReplyOut, reply, 201)


@extend_schema(responses=paged(ThreadOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_my_replies(request: Request, slug: str) -> Response:
    """Reviewers' answers to your comments, and your replies to them, newest first."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    return page_of(
        request, queries.reviews.threads_of(signed_in(request), project), ThreadOut, prepared=with_own_labels
    )


@extend_schema(request=ReasonIn, responses=ProblemStatusOut)
@api_view(["POST"])
def mark_bad_problem(request: Request, task_id: int) -> Response:
    """Confirm that the task's problem is bad. The problem leaves the queue with all its tasks."""
    body = read_body(request, ReasonIn)
    task = get_reviewable_task(signed_in(request), task_id)
    return answer(ProblemStatusOut, problem_withdrawals.mark_bad_problem(task, by=signed_in(request), **body))


@extend_schema(request=None, responses=ProblemStatusOut)
@api_view(["POST"])
def restore_problem(request: Request, task_id: int) -> Response:
    """Undo that a problem was marked as bad. Its tasks are served again."""
    task = get_reviewable_task(signed_in(request), task_id)
    return answer(ProblemStatusOut, problem_withdrawals.restore_problem(task, by=signed_in(request)))


@extend_schema(request=CorrectAnswerIn, responses={201: GradingStarted})
@api_view(["POST"])
def correct_answer(request: Request, task_id: int) -> Response:
    """Correct the problem's answer and grade its traces again. No outcome changes until the grading is applied."""
    body = read_body(request, CorrectAnswerIn)
    task = get_reviewable_task(signed_in(request), task_id)
    job = problem_withdrawals.correct_answer(task, by=signed_in(request), **body)
    return answer(GradingStarted, {"grading_id": job.pk}, 201)


@extend_schema(request=AcceptAnswerIn, responses={201: GradingStarted})
@api_view(["POST"])
def accept_answer(request: Request, task_id: int) -> Response:
    """Accept another answer of the problem as right, or stop accepting it, and grade its traces again."""
    body = read_body(request, AcceptAnswerIn)
    task = get_reviewable_task(signed_in(request), task_id)
    job = problem_withdrawals.accept_answer(task, by=signed_in(request), **body)
    return answer(GradingStarted, {"grading_id": job.pk}, 201)


@extend_schema(request=RepairSplitIn, responses={201: SplitRepaired})
@api_view(["POST"])
def repair_split(request: Request, task_id: int) -> Response:
    """Split the trace's text at other places. A new version replaces it on the queue."""
    body = read_body(request, RepairSplitIn)
    task = get_reviewable_task(signed_in(request), task_id)
    trace = trace_repairs.repair_split(task, by=signed_in(request), **body)
    repaired = {"trace_id": trace.pk, "task_id": queries.reviews.task_in(task.round, trace)}
    return answer(SplitRepaired, repaired, 201)
