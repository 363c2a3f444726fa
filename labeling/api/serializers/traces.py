"""Shapes of traces and tasks in the researchers' lists."""

from collections.abc import Iterable, Sequence
from typing import Any

from rest_framework import serializers

from labeling.api.answers import Shape, With, chunks_of
from labeling.api.serializers.estimates import AsOf
from labeling.api.serializers.finished_labels import LabelDetail
from labeling.api.serializers.labels import AlternativeShown, RatingsField, RoundRef
from labeling.api.serializers.rounds import MOST_PICKED, PrmRef, SaidFilters
from labeling.api.serializers.runs import MAX_STEPS, RunMarks, TypedStepShown
from labeling.api.serializers.selection import TraceScores
from labeling.api.short_lists import ShortList
from labeling.formats.typed_steps import shown_steps
from labeling.models import Problem, Score, Task, Trace
from labeling.queries.error_and_score_filters import FirstErrorAndScore
from labeling.queries.gold import gold_id_of
from labeling.queries.recorded_verdicts import recorded_verdicts
from labeling.queries.tasks import label_counts
from labeling.queries.trace_list import ORDERS, Telling
from labeling.queries.traces import scores_of, tasks_with_labels, usage_of


class TraceFiltersIn(SaidFilters):
    """Which traces. Empty filters do not filter."""

    q = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        help_text='Words of its steps or of its problem, searched separately ("…": a phrase, -: excludes), or its id.',
    )
    outcome = serializers.ChoiceField(Trace.Outcome.values, required=False, allow_blank=True)
    generator = serializers.CharField(max_length=200, required=False, allow_blank=True)
    source = serializers.CharField(max_length=100, required=False, allow_blank=True)  # type: ignore[assignment]  # also a name of DRF
    subject = serializers.CharField(max_length=100, required=False, allow_blank=True)
    level = serializers.CharField(max_length=40, required=False, allow_blank=True)
    split = serializers.ChoiceField(Problem.Split.values, required=False, allow_blank=True)
    labeled = serializers.ChoiceField(["yes", "no"], required=False, allow_blank=True, help_text="Labeled by anyone.")
    steps_min = serializers.IntegerField(min_value=1, max_value=MAX_STEPS, required=False)
    steps_max = serializers.IntegerField(min_value=1, max_value=MAX_STEPS, required=False)


class BrowseTracesIn(TraceFiltersIn):
    order = serializers.ChoiceField(
        list(ORDERS),
        required=False,
        allow_blank=True,
        help_text="Empty: oldest first. `score`: highest first, among traces with a score and one `outcome`.",
    )


class TraceFacetValue(serializers.Serializer):
    value = serializers.CharField(help_text="The value for the filter with the facet's name.")
    traces = serializers.IntegerField(help_text="Traces that match this value and all other filters.")


class TraceFacet(serializers.Serializer):
    name = serializers.CharField(help_text="The filter's name.")
    values = TraceFacetValue(many=True, help_text="The thirty most common values.")
    more = serializers.IntegerField(help_text="The number of further values.")


class ScorerOfList(PrmRef):
    scale = serializers.CharField(help_text="probability or log_ratio; empty: no worker has looked at it yet.")


class TraceFacetsOut(AsOf):
    total = serializers.IntegerField(help_text="Traces that match.")
    capped = serializers.BooleanField(
        help_text="The words match more than a thousand traces: the counts are of the first thousand, and so are "
        "lower bounds."
    )
    unsearched = serializers.IntegerField(
        help_text="Traces of the project, regardless of filters, whose newest steps are not searchable yet: a "
        "worker still has to read them. That takes seconds after an import, and minutes after an upgrade."
    )
    scorer = ScorerOfList(
        allow_null=True, help_text="The scorer whose scores can be filtered by; null: there is no selector."
    )
    facets = TraceFacet(many=True)


class PickedTracesIn(serializers.Serializer):
    ids = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=(1 << 63) - 1), min_length=1, max_length=MOST_PICKED
    )


class ChangedOut(serializers.Serializer):
    changed = serializers.IntegerField(help_text="Problems that are now held out, or traces that are now gold.")
    already = serializers.IntegerField(
        help_text="Chosen problems that were already held out, or traces that were already gold."
    )
    unknown = serializers.IntegerField(help_text="For gold: traces for which no import says where the first error is.")


class BrowseTasksIn(serializers.Serializer):
    round = serializers.IntegerField(min_value=1, max_value=(1 << 63) - 1, required=False)
    state = serializers.ChoiceField(["waiting", "in_progress", "done"], required=False, allow_blank=True)
    kind = serializers.ChoiceField(Task.Kind.values, required=False, allow_blank=True)
    q = serializers.CharField(max_length=200, required=False, allow_blank=True)


class ProblemBrief(Shape):
    id = serializers.IntegerField()
    external_id = serializers.CharField()
    text = serializers.CharField()
    subject = serializers.CharField()
    level = serializers.CharField()

    def text_of(self, problem: Problem) -> str:
        """The beginning of the problem's text."""
        return problem.text[:200]


class TraceSummary(Shape):
    """A trace prepared by `with_usage`."""

    id = serializers.IntegerField()
    problem = ProblemBrief()
    generator = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    step_count = serializers.IntegerField()
    final_answer = serializers.CharField(allow_null=True)
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    tasks = serializers.IntegerField()
    labels = serializers.IntegerField()

    def step_count_of(self, trace: Trace) -> int:
        """The number of steps."""
        return len(trace.steps)


class ListedTrace(TraceSummary):
    """A trace in a list, prepared by `listed`."""

    first_error = serializers.IntegerField(
        allow_null=True,
        help_text="According to its labels, from 0; -1: no error; null: there is no verdict, or labels differ.",
    )
    labels_differ = serializers.BooleanField(help_text="The labels have no majority, and there is no ruling.")
    score = serializers.FloatField(
        allow_null=True, help_text="The score by the list's scorer, a probability if it gives those; null: no score."
    )


class RoundPreview(AsOf):
    traces = serializers.IntegerField()
    problems = serializers.IntegerField()
    held_out = serializers.IntegerField(
        help_text="Traces among these of held-out problems, which are never trained on."
    )
    sample = TraceSummary(many=True)


class ProblemFull(ProblemBrief):
    answer = serializers.CharField(allow_null=True)
    accepted_answers = serializers.ListField(child=serializers.CharField(), help_text="Further right answers.")
    reference_solution = serializers.CharField(allow_null=True)
    split = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    licence = serializers.CharField()
    status = serializers.CharField()
    metadata = serializers.DictField()

    def text_of(self, problem: Problem) -> str:
        """The full text."""
        return problem.text


class AlternativeFull(AlternativeShown):
    id = serializers.IntegerField()
    step = serializers.IntegerField(source="step_index")
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF


class TraceBase(Shape):
    id = serializers.IntegerField()
    problem = ProblemFull()
    generator = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    sampling = serializers.DictField()
    steps = serializers.ListField(child=serializers.CharField())
    alternatives = AlternativeFull(source="completions", many=True)
    final_answer = serializers.CharField(allow_null=True)
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    is_run = serializers.BooleanField(help_text="An agent's run, which may have a decisive error.")
    typed_steps = TypedStepShown(
        many=True, allow_null=True, help_text="The typed steps of an agent's run; `steps` are its units."
    )
    recorded_first_error = serializers.IntegerField(allow_null=True)
    recorded_ratings = RatingsField(allow_null=True)
    recorded_marks = RunMarks(allow_null=True, help_text="What the file says about an agent's run as a whole.")
    metadata = serializers.DictField()

    def typed_steps_of(self, trace: Trace) -> list[dict[str, Any]] | None:
        """The typed steps as labelers see them."""
        return None if trace.typed_steps is None else shown_steps(trace.typed_steps)


class RecordedVerdictOut(serializers.Serializer):
    """What a file says about a trace. `file_name` and `line` are null for the trace's own first verdict."""

    recorded_by = serializers.CharField(help_text="Who gave the verdict according to the row; empty: it does not say.")
    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    generator = serializers.CharField()
    outcome = serializers.ChoiceField(Trace.Outcome.values, allow_null=True)
    first_error = serializers.IntegerField(allow_null=True)
    ratings = RatingsField(allow_null=True)
    marks = RunMarks(allow_null=True, help_text="Marks on an agent's run as a whole.")
    file_name = serializers.CharField(allow_null=True)
    line = serializers.IntegerField(allow_null=True)
    metadata = serializers.DictField(help_text="The row's other keys.")


class TaskOfTrace(serializers.Serializer):
    id = serializers.IntegerField()
    round = RoundRef()
    labels = LabelDetail(many=True)


class TraceOut(TraceBase):
    project = serializers.CharField(source="project.slug", help_text="The project's slug.")
    gold = serializers.IntegerField(allow_null=True, help_text="The gold item that it is or was.")
    recorded_verdicts = RecordedVerdictOut(
        many=True, help_text="Second opinions in addition to the verdict that the trace was imported with."
    )
    tasks = TaskOfTrace(many=True)
    scores = TraceScores(many=True)

    def gold_of(self, trace: Trace) -> int | None:
        """The gold item's id. One query."""
        return gold_id_of(trace)

    def recorded_verdicts_of(self, trace: Trace) -> list[dict[str, Any]]:
        """The recorded verdicts of all imports. One query."""
        return recorded_verdicts(trace)

    def tasks_of(self, trace: Trace) -> Iterable[Task]:
        """The trace's tasks, with every finished label."""
        return tasks_with_labels(trace)

    def scores_of(self, trace: Trace) -> Iterable[Score]:
        """The scores by all PRMs."""
        return scores_of(trace)


class TaskTrace(Shape):
    id = serializers.IntegerField()
    step_count = serializers.IntegerField()
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    problem_text = serializers.CharField()

    def step_count_of(self, trace: Trace) -> int:
        """The number of steps."""
        return len(trace.steps)

    def problem_text_of(self, trace: Trace) -> str:
        """The beginning of the problem's text."""
        return trace.problem.text[:160]


class TaskLabels(serializers.Serializer):
    submitted = serializers.IntegerField()
    open = serializers.IntegerField()


class TaskSummary(Shape):
    """A task prepared by `with_label_counts`."""

    id = serializers.IntegerField()
    round = RoundRef()
    kind = serializers.ChoiceField(Task.Kind.values)
    trace = TaskTrace()
    labels_wanted = serializers.IntegerField()
    labels = TaskLabels()
    state = serializers.ChoiceField(["waiting", "in_progress", "done"])

    def state_of(self, task: With) -> str:
        """The status, from its labels and the number that are still needed."""
        if task.labels["open"] == 0 and task.labels_wanted == 0:
            return "done"
        return "in_progress" if task.labels["submitted"] or task.labels["open"] else "waiting"


class TaskOut(serializers.Serializer):
    id = serializers.IntegerField()
    round = RoundRef()
    kind = serializers.ChoiceField(Task.Kind.values)
    labels_wanted = serializers.IntegerField()
    trace = TraceBase()
    labels = LabelDetail(many=True)


def with_usage(traces: Iterable[Trace]) -> list[With]:
    """The data for TraceSummary: traces with how often each was queued and labeled. One query."""
    traces = list(traces)
    usage = usage_of(traces)
    return [With(trace, **{"tasks": 0, "labels": 0, **usage.get(trace.pk, {})}) for trace in traces]


def listed(traces: Iterable[Trace], said: Telling) -> list[With]:
    """The data for ListedTrace. Three queries."""
    traces = list(traces)
    known = said(trace.pk for trace in traces)
    return [
        With(trace, first_error=one.first_error, labels_differ=one.differ, score=one.score)
        for trace in with_usage(traces)
        for one in [known.get(trace.pk, FirstErrorAndScore())]
    ]


TABLE_HEAD = (
    *("trace", "problem", "subject", "level", "split"),
    *("generator", "source", "steps", "outcome", "final answer", "tasks", "labels", "first error", "score"),
)


def trace_table(traces: Iterable[Trace], said: Telling, chunk: int = 1_000) -> Iterable[Sequence[Any]]:
    """Traces of `browse_traces` as table rows, with a header first. Three queries for each `chunk` of them."""
    yield TABLE_HEAD
    for some in chunks_of(traces, chunk):
        yield from map(_table_row, listed(some, said))


def _table_row(trace: With) -> Sequence[Any]:
    problem = trace.problem
    return (
        *(trace.pk, problem.external_id, problem.subject, problem.level, problem.split),
        *(trace.generator, trace.source, trace.length, trace.outcome, trace.final_answer),
        *(trace.tasks, trace.labels, "differ" if trace.labels_differ else trace.first_error, trace.score),
    )


def with_label_counts(tasks: Iterable[Task]) -> list[With]:
    """The data for TaskSummary: tasks with their numbers of labels. One query."""
    tasks = list(tasks)
    counts = label_counts(tasks)
    return [With(task, labels=counts.get(task.pk, {"submitted": 0, "open": 0})) for task in tasks]
