"""What a labeler said earlier of a trace's texts, in other traces of the same problem (`protocol.carry_over`)."""

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet

from labeling.models import Label
from labeling.protocol import carry_over
from labeling.protocol.registry import protocol_named
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.queries.traces import alternatives

# A place to rate: the step, and the alternative offered there (None for the trace's own step).
Position = tuple[int, int | None]

# The labeler's own latest labels of the same problem, each with its steps and what was said of
# them: [step label, step, the alternative's text or null, rating, flagged]. Nobody else's labels are read, and for a
# labeler without any so far it costs one index lookup. The same for every kind of task.
JUDGED_BEFORE = """
    (SELECT json_agg(json_build_object('label', earlier.id, 'at', earlier.submitted_at, 'steps', judged.steps,
        'rated', (
            SELECT json_agg(json_build_array(said.id, said.step_index, other.text, said.rating, said.flagged))
            FROM labeling_steplabel said LEFT JOIN labeling_completion other ON other.id = said.completion_id
            WHERE said.label_id = earlier.id)) ORDER BY earlier.submitted_at, earlier.id)
    FROM (
        SELECT id, task_id, submitted_at FROM labeling_label done
        WHERE done.labeler_id = label.labeler_id AND done.problem_id = trace.problem_id AND done.status = 'submitted'
        AND done.id <> label.id ORDER BY done.submitted_at DESC LIMIT 20) earlier
    JOIN labeling_task offered ON offered.id = earlier.task_id
    JOIN labeling_trace judged ON judged.id = offered.trace_id)
"""
JUDGED_BEFORE_LABEL = one_line(f"""
    SELECT {JUDGED_BEFORE} FROM labeling_label label JOIN labeling_task task ON task.id = label.task_id
    JOIN labeling_trace trace ON trace.id = task.trace_id WHERE label.id = %(label)s
""")


@dataclass(frozen=True)
class Carried:
    """What the same labeler said of the same text before. `step_label` is the row that holds it."""

    step: int
    completion: int | None
    rating: int | None
    flagged: bool
    step_label: int
    label_id: int
    submitted_at: str

    @property
    def position(self) -> Position:
        """Its place in its trace."""
        return self.step, self.completion

    def at(self, step: int, completion: int | None) -> "Carried":
        """Return the same statement for a place in another trace."""
        return replace(self, step=step, completion=completion)


def carried_over(label: Label) -> list[Carried]:
    """Return the ratings to fill in for the label: first those of its trace's own steps, as far as the round's protocol
    lets them be rated, then those of alternatives.

    If a text was rated several times, the latest rating is taken.
    """
    said = _said_before(judged_before(label), _of_problem(label))
    if not said:
        return []
    trace = label.task.trace
    keys = carry_over.KeysAsAsked(_of_problem(label), trace.steps)
    protocol = protocol_named(label.task.round.protocol)
    ratings: list[int | None] = [None] * len(trace.steps)
    found = []
    for step in range(len(trace.steps)):
        key = keys[step]
        # Each key covers all preceding steps, so no step after an unknown text can be known.
        if key not in said or said[key].rating is None or step not in protocol.ratable_steps(ratings):
            break
        found.append(said[key].at(step, None))
        ratings[step] = said[key].rating
    for one in alternatives(trace):
        before = keys[one["step"] - 1] if one["step"] else _of_problem(label)
        key = carry_over.step_key(before, one["text"])
        if key in said:
            found.append(said[key].at(one["step"], one["id"]))
    return found


def judged_before(label: Label) -> list[dict[str, Any]]:
    """Return the labeler's earlier labels of the problem, oldest first. After `load_traces` this needs no query."""
    known: list[dict[str, Any]] | None = label.__dict__.get("judged_before")
    if known is not None:
        return known
    return next((rows for (rows,) in execute_prepared(JUDGED_BEFORE_LABEL, {"label": label.pk})), None) or []


def _said_before(earlier: list[dict[str, Any]], problem: bytes) -> dict[bytes, Carried]:
    """Return the latest statement about each text, by the text's key."""
    said: dict[bytes, Carried] = {}
    for label in earlier:
        rated = label["rated"] or []
        keys = carry_over.step_keys(problem, label["steps"][: max((step for _, step, *_ in rated), default=-1) + 1])
        for number, step, other, rating, flagged in rated:
            before = keys[step - 1] if step else problem
            key = keys[step] if other is None else carry_over.step_key(before, other)
            if rating is not None or flagged:
                said[key] = Carried(step, None, rating, bool(flagged), number, label["label"], label["at"])
    return said


def _of_problem(label: Label) -> bytes:
    return str(label.task.trace.problem_id).encode()


def own_labels_of_problem(label: Label) -> QuerySet[Label]:
    """Return the same labeler's submitted labels of other traces of the problem, newest first, with their ratings."""
    trace = label.task.trace
    return (
        Label.objects.filter(labeler=label.labeler, problem=trace.problem_id, status=Label.Status.SUBMITTED)
        .exclude(pk=label.pk)
        .select_related("task__trace")
        .defer("task__trace__typed_steps")
        .prefetch_related("step_labels")
        .order_by("-submitted_at", "-pk")
    )
