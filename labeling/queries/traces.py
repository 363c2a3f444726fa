"""Reads about problems and traces, and the labels on them."""

from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet

from labeling.errors import NotFound
from labeling.models import Completion, Label, Score, StepLabel, Task, Trace, User
from labeling.queries.held_labels import refuse_holder
from labeling.queries.projects import RESEARCHER, get_project_by_id_as

# Kinds of step scorers that mark steps with evidence of their own, as opposed to those that score them.
MARKING = ("rollouts", "judge", "consensus", "verifier", "formal")
FINISHED = (Label.Status.SUBMITTED, Label.Status.SUPERSEDED, Label.Status.RULING)


def get_visible_trace(user: User, trace_id: int, role: str = RESEARCHER) -> Trace:
    """Return a trace of a project in which this person is a researcher (or `role`) or above, with its alternatives.
    Raises NotFound, and LabelHeld while they are labeling it themselves.
    """
    trace = (
        Trace.objects.select_related("problem", "project").prefetch_related("completions").filter(pk=trace_id).first()
    )
    if trace is None:
        raise NotFound
    get_project_by_id_as(user, trace.project_id, role)
    refuse_holder(user, trace)
    return trace


def usage_of(traces: list[Trace]) -> dict[int, dict[str, int]]:
    """Return, per trace id, the numbers of its tasks and submitted labels. One query."""
    rows = (
        Task.objects.filter(trace__in=[trace.pk for trace in traces])
        .values("trace")
        .annotate(
            tasks=Count("pk", distinct=True),
            label_count=Count("labels", filter=Q(labels__status=Label.Status.SUBMITTED)),
        )
    )
    return {row["trace"]: {"tasks": row["tasks"], "labels": row["label_count"]} for row in rows}


def tasks_with_labels(trace: Trace) -> QuerySet[Task]:
    """The tasks a trace is or was offered in, each with its finished labels."""
    return (
        Task.objects.filter(trace=trace)
        .select_related("round")
        .prefetch_related(Prefetch("labels", queryset=finished_labels()))
        .order_by("pk")
    )


def scores_of(trace: Trace) -> QuerySet[Score]:
    """The scores of a trace by each PRM, newest PRM first. Marks of other sources are read by `sources.marks_of`."""
    return (
        Score.objects.filter(trace=trace).exclude(scorer__kind__in=MARKING).select_related("scorer").order_by("-scorer")
    )


def finished_labels() -> QuerySet[Label]:
    """Submitted labels, superseded ones and rulings, with everything their readers need."""
    said = StepLabel.objects.select_related("carried_from__label")
    return (
        Label.objects.filter(status__in=FINISHED)
        .select_related("labeler", "guideline", "project", "supersedes", "task__round", "task__trace__problem")
        .defer("task__trace__typed_steps")
        .prefetch_related(Prefetch("step_labels", queryset=said), "comments", "reports")
        .order_by("submitted_at", "pk")
    )


def alternatives(trace: Trace) -> list[dict[str, Any]]:
    """Return the other completions offered for the trace's steps (id, step and text), read by `load_traces` or now."""
    known: list[dict[str, Any]] | None = trace.__dict__.get("alternatives")
    if known is not None:
        return known
    others = offered(trace.completions.all()).order_by("step_index", "pk").values_list("pk", "step_index", "text")
    return [{"id": number, "step": step, "text": text} for number, step, text in others]


def offered(completions: QuerySet[Completion]) -> QuerySet[Completion]:
    """The completions that every labeler of the trace is offered."""
    return completions.exclude(source=Completion.Source.SUGGESTED)


def numbers_of(trace: Trace) -> dict[int, int]:
    """Return the numbers of the trace's alternatives by id: 1, 2, … in order of creation. Later ones change none.

    Labelers know alternatives only by these: ids would reveal which traces were created together, and so which are
    gold.
    """
    ids = sorted(one["id"] for one in alternatives(trace))
    return {pk: number for number, pk in enumerate(ids, start=1)}
