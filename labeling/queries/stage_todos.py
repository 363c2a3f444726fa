"""The work to do in a stage of a round, by problem: the queries from which its chunks are planned."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from labeling.models import Round
from labeling.queries.rounds import problems_to_sample, traces_of_plain_round
from labeling.queries.scores import pool_of, traces_to_grade
from labeling.queries.sql_slots import fill

TO_GENERATE = "SELECT problem.pk AS problem_id, {n} AS todo FROM ({problems}) AS problem"
TO_COUNT = "SELECT pool.problem_id, count(*) AS todo FROM ({pool}) AS pool GROUP BY pool.problem_id"
TO_SCORE = """
    SELECT pool.problem_id, count(*) FILTER (WHERE score.trace_id IS NULL) AS todo
    FROM ({pool}) AS pool
    LEFT JOIN labeling_score AS score ON score.scorer_id = {scorer} AND score.trace_id = pool.pk
    GROUP BY pool.problem_id
    HAVING bool_or(score.trace_id IS NULL) OR {rescore} AND bool_or(NOT score.exact)
"""


class Todo(NamedTuple):
    """A query of (problem_id, todo) and its parameters; the stage's `chunk` counts `each` of these as one."""

    sql: str
    parameters: Sequence[Any]
    each: int = 1


def to_generate(round_: Round) -> Todo:
    """Plan this many samples for every problem that the round samples."""
    config = round_.staged_config
    samples = config.generating.n
    sql, parameters = _sql(problems_to_sample(round_.project, filter=config.filter), "pk")
    return Todo(fill(TO_GENERATE, n=samples, problems=sql), parameters, samples)


def to_grade(round_: Round) -> Todo:
    """Plan the traces of the pool that have not been graded."""
    sql, parameters = _sql(traces_to_grade(round_), "pk", "problem_id")
    return Todo(fill(TO_COUNT, pool=sql), parameters)


def to_score(round_: Round) -> Todo:
    """Plan the traces of the pool that the round's scorer has not seen, or only roughly if `rescore` is set."""
    sql, parameters = _sql(pool_of(round_), "pk", "problem_id")
    assert round_.scorer_id is not None
    again = str(bool(round_.staged_config.rescore)).upper()
    return Todo(fill(TO_SCORE, pool=sql, scorer=int(round_.scorer_id), rescore=again), parameters)


def to_queue(round_: Round) -> Todo:
    """Plan everything that a plain round puts on the queue, in one chunk: see `labeling.actions.round_queueing`."""
    sql, parameters = _sql(traces_of_plain_round(round_), "pk", "problem_id")
    return Todo(fill(TO_COUNT, pool=sql), parameters)


def _sql(rows: QuerySet[Any], *columns: str) -> tuple[str, Sequence[Any]]:
    return rows.order_by().values(*columns).query.sql_with_params()
