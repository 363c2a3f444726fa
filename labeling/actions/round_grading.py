"""The grading stage of a round: gives an outcome to traces without one, and changes no other."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from labeling.actions.jobs import Lease
from labeling.grading import GRADER_VERSION, Grade, Question
from labeling.models import RoundChunk, Trace
from labeling.queries.grading import ANSWER_STEPS
from labeling.queries.scores import traces_to_grade

Grader = Callable[[Iterable[Question]], Iterator[Grade]]
AT_ONCE = 500  # traces written together; the rest of a killed worker's chunk is graded again

MAKE_TABLE = "CREATE TEMPORARY TABLE new_grade (trace_id bigint, outcome text) ON COMMIT DROP"
COPY = "COPY new_grade (trace_id, outcome) FROM STDIN"
GIVE_TO_TRACES = """
    UPDATE labeling_trace AS trace SET outcome = new_grade.outcome, grader_version = %s
    FROM new_grade WHERE trace.id = new_grade.trace_id AND trace.outcome = 'ungraded' AND trace.grader_version <> %s
"""
GIVE_TO_SCORES = """
    UPDATE labeling_score AS score SET outcome = trace.outcome
    FROM new_grade JOIN labeling_trace AS trace ON trace.id = new_grade.trace_id
    WHERE score.trace_id = trace.id AND score.outcome <> trace.outcome
"""


def grade_chunk(chunk: RoundChunk, lease: Lease, grade: Grader) -> int:
    """Grade the chunk's traces that have no outcome. Returns how many of them are done in all."""
    lease.progress["done"] = done = max(0, chunk.total - _waiting(chunk).count())
    after = Q()
    while traces := list(
        _waiting(chunk).filter(after).select_related("problem").order_by("problem_id", "pk")[:AT_ONCE]
    ):
        grades = []
        for found in grade(_question(chunk, trace) for trace in traces):
            lease.require()
            grades.append(found)
        _write(traces, grades)
        done += len(traces)
        lease.progress["done"] = done
        last = traces[-1]
        after = Q(problem__gt=last.problem_id) | Q(problem=last.problem_id, pk__gt=last.pk)
    return done


def _waiting(chunk: RoundChunk) -> QuerySet[Trace]:
    return traces_to_grade(chunk.round).filter(problem__gte=chunk.first_problem, problem__lte=chunk.last_problem)


def _question(chunk: RoundChunk, trace: Trace) -> Question:
    grader = chunk.round.staged_config.frozen.grader
    assert grader is not None  # frozen with the traces
    steps = tuple(trace.steps[-ANSWER_STEPS:])
    problem, comparison = trace.problem, (grader.answer_kind, grader.answer_tolerance)
    return Question(steps, trace.final_answer, problem.answer, *comparison, tuple(problem.accepted_answers))


@transaction.atomic
def _write(traces: Sequence[Trace], grades: Sequence[Grade]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(MAKE_TABLE)
        with cursor.copy(COPY) as copy:
            for trace, found in zip(traces, grades, strict=True):
                copy.write_row((trace.pk, found.outcome))
        cursor.execute(GIVE_TO_TRACES, [GRADER_VERSION, GRADER_VERSION])
        cursor.execute(GIVE_TO_SCORES)
