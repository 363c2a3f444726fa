"""Reads about screening: a labeler's attempts, what is left of one, and what may be shown after an answer."""

from typing import Any

from django.db.models import Case, Count, IntegerField, OuterRef, Q, Subquery, When

from labeling.errors import NotFound
from labeling.formats.typed_steps import shown_steps
from labeling.models import Gold, GoldResult, Label, Membership, Project, ScreeningAttempt, Task, User
from labeling.quality.sequential_test import Screening, ScreeningState
from labeling.queries.gold import active_gold
from labeling.queries.labeler_quality import membership_of
from labeling.queries.labels import get_own_label_shown

ANSWERED = (Label.Status.SUBMITTED,)
NOT_YET = (Label.Status.EXPIRED, Label.Status.RELEASED)


def screening_of(member: Membership) -> Screening:
    """Return how this member is screened: by the project's rules, and the extra attempts an admin allowed."""
    project = member.project
    retries = project.screening_retries + member.extra_attempts
    return Screening(project.screening_tasks, project.screening_share, retries)


def attempts_of(labeler: User, project: Project) -> list[ScreeningAttempt]:
    """Return the labeler's attempts, in order."""
    return list(ScreeningAttempt.objects.filter(project=project, labeler=labeler).order_by("number"))


def results_of_attempt(attempt: ScreeningAttempt) -> list[bool]:
    """Return one result per finished task."""
    done = GoldResult.objects.filter(label__task__in=attempt.tasks, labeler=attempt.labeler_id)
    return list(done.filter(label__status__in=ANSWERED).order_by("at", "pk").values_list("passed", flat=True))


def tasks_to_do(attempt: ScreeningAttempt) -> list[int]:
    """Return the attempt's tasks that were not given to the labeler yet, or whose label they lost, in order."""
    had = Label.objects.filter(task__in=attempt.tasks, labeler=attempt.labeler_id)
    had = had.exclude(status__in=[*NOT_YET, Label.Status.SUPERSEDED])
    behind = set(had.values_list("task", flat=True))
    return [task_id for task_id in attempt.tasks if task_id not in behind]


def lost_label_on(labeler: User, task_id: int) -> Label | None:
    """Return, locked, the labeler's label on the task whose lease they lost."""
    lost = Label.objects.filter(task=task_id, labeler=labeler, status__in=NOT_YET)
    return lost.select_for_update().first()


def gold_for_attempt(labeler: User, project: Project) -> list[Gold]:
    """Return active gold: first what this labeler never met, then what rounds served least, to keep it fresh there."""
    met = Label.objects.filter(labeler=labeler, task__trace=OuterRef("trace")).order_by()
    found = active_gold(project).annotate(
        met=Case(When(trace__in=met.values("task__trace"), then=1), default=0, output_field=IntegerField()),
        times=Subquery(met.values("task__trace").annotate(n=Count("pk")).values("n")),
        rounds=Count("trace__tasks", filter=Q(trace__tasks__kind=Task.Kind.GOLD)),
    )
    return list(found.order_by("met", "times", "rounds", "pk"))


def feedback_on(labeler: User, label_id: int) -> dict[str, Any]:
    """Return the feedback on a screening answer. Raises NotFound for every other label, hidden gold too."""
    label = get_own_label_shown(labeler, label_id)
    result = GoldResult.objects.select_related("gold").filter(label=label, kind=Task.Kind.SCREENING).first()
    if result is None or label.status != Label.Status.SUBMITTED:
        raise NotFound
    told = ScreeningAttempt.objects.filter(project=label.project_id, labeler=labeler, tasks__contains=[label.task_id])
    if not told.filter(feedback=True).exists():
        raise NotFound
    return {
        "passed": result.passed,
        "objection": result.objection,
        "verdict": result.verdict,
        "acceptable": result.gold.acceptable,
        "explanation": result.gold.explanation,
        "paragraph": result.gold.paragraph,
        "problem_text": label.task.trace.problem.text,
        "answer": label.task.trace.problem.answer,
        "steps": label.task.trace.steps,
        "typed_steps": shown_steps(typed) if (typed := label.task.trace.typed_steps) else None,
        "ratings": (label.submission or {}).get("ratings") or [],
    }


def screening_state(member: Membership, attempts: list[ScreeningAttempt]) -> ScreeningState:
    """Return the state of the member's screening after the finished attempts. An attempt keeps its initial rules."""
    if not attempts or attempts[-1].finished_at is None:
        return "going"
    last = attempts[-1]
    if (last.passed or 0) >= last.needed:
        return "admitted"
    return "retry" if len(attempts) <= screening_of(member).retries else "rejected"


def member_state(member: Membership, attempts: list[ScreeningAttempt]) -> str:
    """Return working, screening, retry, rejected or paused."""
    if member.paused_at is not None:
        return "paused"
    screened = member.project.screening and member.role == Membership.Role.ANNOTATOR and member.admitted_at is None
    if not screened:
        return "working"
    state = screening_state(member, attempts)
    return "screening" if state in ("going", "admitted") else state


def my_quality(labeler: User, project: Project) -> dict[str, Any]:
    """Return what labelers are told about themselves: state, latest screening attempt, and the member, if any."""
    member = membership_of(labeler, project)
    attempts = attempts_of(labeler, project) if member is not None else []
    if member is None:
        return {"state": "working", "screening": None, "member": None}
    return {
        "state": member_state(member, attempts),
        "screening": _latest(member, attempts) if project.screening else None,
        "member": member,
    }


def _latest(member: Membership, attempts: list[ScreeningAttempt]) -> dict[str, Any] | None:
    rules = screening_of(member)
    left = max(0, 1 + rules.retries - len(attempts))
    if not attempts:
        begun = {"attempt": 1, "done": 0, "of": rules.tasks, "needed": rules.needed, "passed": None, "admitted": None}
        about = {"feedback": member.project.screening_feedback, "begun": False, "results": []}
        return {**begun, **about, "attempts_left": left - 1}
    last = attempts[-1]
    over = last.finished_at is not None
    results = results_of_attempt(last)
    return {
        "attempt": last.number,
        "begun": True,
        "results": results if last.feedback else [],
        "done": len(last.tasks) if over else len(results),
        "of": len(last.tasks),
        "needed": last.needed,
        "passed": last.passed,
        "admitted": (last.passed or 0) >= last.needed if over else None,
        "feedback": last.feedback,
        "attempts_left": left,
    }


def attempts_by_labeler(project: Project) -> dict[int, list[ScreeningAttempt]]:
    """Return every attempt of a project by its labeler's id, in order. One query."""
    found: dict[int, list[ScreeningAttempt]] = {}
    for attempt in ScreeningAttempt.objects.filter(project=project).order_by("labeler", "number"):
        found.setdefault(attempt.labeler_id, []).append(attempt)
    return found
