"""Shapes of traces and tasks as researchers browse them."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from labeling.api.serializers.label_shapes import detail
from labeling.api.serializers.labels import AlternativeShown, LabelDetail, RatingsField, RoundRef
from labeling.api.serializers.selection import TraceScores, scores_out
from labeling.models import Task, Trace
from labeling.queries.gold import gold_id_of
from labeling.queries.tasks import label_counts
from labeling.queries.traces import scores_of, tasks_with_labels, usage_of


class BrowseTracesIn(serializers.Serializer):
    q = serializers.CharField(max_length=200, required=False, allow_blank=True)
    outcome = serializers.ChoiceField(Trace.Outcome.values, required=False, allow_blank=True)
    generator = serializers.CharField(max_length=200, required=False, allow_blank=True)
    source = serializers.CharField(max_length=100, required=False, allow_blank=True)  # type: ignore[assignment]  # also a name of DRF


class BrowseTasksIn(serializers.Serializer):
    round = serializers.IntegerField(min_value=1, max_value=(1 << 63) - 1, required=False)
    state = serializers.ChoiceField(["waiting", "in_progress", "done"], required=False, allow_blank=True)
    kind = serializers.ChoiceField(Task.Kind.values, required=False, allow_blank=True)
    q = serializers.CharField(max_length=200, required=False, allow_blank=True)


class ProblemBrief(serializers.Serializer):
    id = serializers.IntegerField()
    external_id = serializers.CharField()
    text = serializers.CharField()
    subject = serializers.CharField()
    level = serializers.CharField()


class TraceSummary(serializers.Serializer):
    id = serializers.IntegerField()
    problem = ProblemBrief()
    generator = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    step_count = serializers.IntegerField()
    final_answer = serializers.CharField(allow_null=True)
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    tasks = serializers.IntegerField()
    labels = serializers.IntegerField()


class RoundPreview(serializers.Serializer):
    traces = serializers.IntegerField()
    problems = serializers.IntegerField()
    sample = TraceSummary(many=True)


class ProblemFull(ProblemBrief):
    answer = serializers.CharField(allow_null=True)
    reference_solution = serializers.CharField(allow_null=True)
    split = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    licence = serializers.CharField()
    status = serializers.CharField()
    metadata = serializers.DictField()


class AlternativeFull(AlternativeShown):
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF


class TraceBase(serializers.Serializer):
    id = serializers.IntegerField()
    problem = ProblemFull()
    generator = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    sampling = serializers.DictField()
    steps = serializers.ListField(child=serializers.CharField())
    alternatives = AlternativeFull(many=True)
    final_answer = serializers.CharField(allow_null=True)
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    recorded_first_error = serializers.IntegerField(allow_null=True)
    recorded_ratings = RatingsField(allow_null=True)
    metadata = serializers.DictField()


class TaskOfTrace(serializers.Serializer):
    id = serializers.IntegerField()
    round = RoundRef()
    labels = LabelDetail(many=True)


class TraceOut(TraceBase):
    project = serializers.CharField(help_text="Its slug.")
    gold = serializers.IntegerField(allow_null=True, help_text="The gold item that it is or was.")
    tasks = TaskOfTrace(many=True)
    scores = TraceScores(many=True)


class TaskTrace(serializers.Serializer):
    id = serializers.IntegerField()
    step_count = serializers.IntegerField()
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    problem_text = serializers.CharField()


class TaskLabels(serializers.Serializer):
    submitted = serializers.IntegerField()
    open = serializers.IntegerField()


class TaskSummary(serializers.Serializer):
    id = serializers.IntegerField()
    round = RoundRef()
    kind = serializers.ChoiceField(Task.Kind.values)
    trace = TaskTrace()
    labels_wanted = serializers.IntegerField()
    labels = TaskLabels()
    state = serializers.ChoiceField(["waiting", "in_progress", "done"])


class TaskOut(serializers.Serializer):
    id = serializers.IntegerField()
    round = RoundRef()
    kind = serializers.ChoiceField(Task.Kind.values)
    labels_wanted = serializers.IntegerField()
    trace = TraceBase()
    labels = LabelDetail(many=True)


PROBLEM_COLUMNS = (
    "id",
    "external_id",
    "text",
    "subject",
    "level",
    "answer",
    "reference_solution",
    "split",
    "source",
    "licence",
    "status",
    "metadata",
)
TRACE_COLUMNS = (
    "generator",
    "source",
    "sampling",
    "steps",
    "final_answer",
    "outcome",
    "recorded_first_error",
    "recorded_ratings",
    "metadata",
)


def traces_out(traces: Iterable[Trace]) -> list[dict[str, Any]]:
    """Traces in a list, with how often each was queued and labeled."""
    traces = list(traces)
    usage = usage_of(traces)
    return [_trace_brief(trace, usage.get(trace.pk, {})) for trace in traces]


def trace_out(trace: Trace) -> dict[str, Any]:
    """One trace with its problem, alternatives, scores and, by task, every finished label."""
    tasks = [
        {
            "id": task.pk,
            "round": _round(task),
            "labels": [detail(label) for label in task.labels.all()],
        }
        for task in tasks_with_labels(trace)
    ]
    return {
        **_trace_base(trace),
        "project": trace.project.slug,
        "gold": gold_id_of(trace),
        "tasks": tasks,
        "scores": scores_out(scores_of(trace)),
    }


def tasks_out(tasks: Iterable[Task]) -> list[dict[str, Any]]:
    """Tasks in a list, with their state and label counts."""
    tasks = list(tasks)
    counts = label_counts(tasks)
    return [_task_brief(task, counts.get(task.pk, {"submitted": 0, "open": 0})) for task in tasks]


def task_out(task: Task) -> dict[str, Any]:
    """One task: its trace with all its labels."""
    return {
        "id": task.pk,
        "round": _round(task),
        "kind": task.kind,
        "labels_wanted": task.labels_wanted,
        "trace": _trace_base(task.trace),
        "labels": [detail(label) for label in task.labels.all()],
    }


def _task_brief(task: Task, labels: dict[str, int]) -> dict[str, Any]:
    if labels["open"] == 0 and task.labels_wanted == 0:
        state = "done"
    else:
        state = "in_progress" if labels["submitted"] or labels["open"] else "waiting"
    return {
        "id": task.pk,
        "round": _round(task),
        "kind": task.kind,
        "trace": {
            "id": task.trace_id,
            "step_count": len(task.trace.steps),
            "outcome": task.trace.outcome,
            "problem_text": task.trace.problem.text[:160],
        },
        "labels_wanted": task.labels_wanted,
        "labels": labels,
        "state": state,
    }


def _trace_brief(trace: Trace, usage: dict[str, int]) -> dict[str, Any]:
    problem = trace.problem
    return {
        "id": trace.pk,
        "problem": {
            "id": problem.pk,
            "external_id": problem.external_id,
            "text": problem.text[:200],
            "subject": problem.subject,
            "level": problem.level,
        },
        "generator": trace.generator,
        "source": trace.source,
        "step_count": len(trace.steps),
        "final_answer": trace.final_answer,
        "outcome": trace.outcome,
        "tasks": usage.get("tasks", 0),
        "labels": usage.get("labels", 0),
    }


def _trace_base(trace: Trace) -> dict[str, Any]:
    problem = {name: getattr(trace.problem, name) for name in PROBLEM_COLUMNS}
    alternatives = [
        {"id": c.pk, "step": c.step_index, "text": c.text, "source": c.source} for c in trace.completions.all()
    ]
    return {
        "id": trace.pk,
        "problem": problem,
        "alternatives": alternatives,
        **{name: getattr(trace, name) for name in TRACE_COLUMNS},
    }


def _round(task: Task) -> dict[str, Any]:
    return {"id": task.round_id, "number": task.round.number, "name": task.round.name}
