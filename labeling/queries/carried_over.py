"""What a labeler has said of a trace's texts before, in other traces of the same problem (`protocol.carry_over`)."""

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet

from labeling.models import Label
from labeling.protocol import carry_over
from labeling.protocol.registry import protocol_named
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.queries.traces import alternatives

# A place to be rated: the step, and the alternative offered there; None is the trace's own step.
Position = tuple[int, int | None]

# The labeler's own latest labels of the same problem, each with its steps and what was said of
# them: [step label, step, the alternative's text or null, rating, flagged]. Nobody else's are looked at, and of a
# labeler who has none yet it is one look into an index. The same for every kind of task.
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
    """What the same labeler said of the same text before. `step_label` is the row in which they said it."""

    step: int
    completion: int | None
    rating: int | None
    flagged: bool
    step_label: int
    label_id: int
    submitted_at: str

    @property
    def position(self) -> Position:
        """Where it stands in its trace."""
        return self.step, self.completion

    def at(self, step: int, completion: int | None) -> "Carried":
        """The same, said of a place in another trace."""
        return replace(self, step=step, completion=completion)


def carried_over(label: Label) -> list[Carried]:
    """The ratings to fill in for the label: of its trace's own steps as far as the round's protocol lets them be
    rated, then of alternatives.

    The latest of several earlier ratings of one text is taken.
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
        # Behind a text that is not known, every step has other steps before it: none of them is.
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
    """The labeler's earlier labels of the problem, oldest first; `load_traces` has read them already."""
    known: list[dict[str, Any]] | None = label.__dict__.get("judged_before")
    if known is not None:
        return known
    return next((rows for (rows,) in execute_prepared(JUDGED_BEFORE_LABEL, {"label": label.pk})), None) or []


def _said_before(earlier: list[dict[str, Any]], problem: bytes) -> dict[bytes, Carried]:
    """By the key of the text, what was said of it last."""
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
    """What the same labeler submitted on other traces of the label's problem, newest first, with its ratings."""
    trace = label.task.trace
    return (
        Label.objects.filter(labeler=label.labeler, problem=trace.problem_id, status=Label.Status.SUBMITTED)
        .exclude(pk=label.pk)
        .select_related("task__trace")
        .defer("task__trace__typed_steps")
        .prefetch_related("step_labels")
        .order_by("-submitted_at", "-pk")
    )
