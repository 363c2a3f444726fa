"""The pool of a staged round, read from indexes in the orders in which traces are chosen. It is never read whole.

A candidate is a graded trace of the pool that is on no queue, is not gold, and that its scorer did not learn from.
Scored candidates come from the score table, whose rows repeat problem and outcome so that the trace table is not read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models.expressions import RawSQL

from labeling.configs import TraceFilter
from labeling.models import Problem, Project, Round
from labeling.queries.error_and_score_filters import OF_ERRORS, OF_SCORES
from labeling.queries.rounds import problems_to_sample, round_pool
from labeling.queries.sql_slots import fill, fill_from
from labeling.selection import Candidate, control_start, shuffle_key

TRACE_FILTERS = (
    *("outcome", "generator", "source", "steps_min", "steps_max", "unlabeled_only", "ids"),
    *(*OF_ERRORS, *OF_SCORES),
)
EVERYTHING = TraceFilter()
MOST_ID = (1 << 63) - 1
PAGE = 5_000  # candidates per query
NO_PIECES: Mapping[str, str] = {}

SHUFFLE = "sha256(convert_to(%(seed)s || ':' || {id}, 'UTF8'))"  # labeling.selection.shuffle_key
NOT_QUEUED = """NOT EXISTS (
        SELECT FROM labeling_task AS task WHERE task.trace_id = {id} AND task.round_id = ANY(%(rounds)s))
    AND NOT EXISTS (SELECT FROM labeling_gold AS gold WHERE gold.trace_id = {id} AND gold.status = 'active')"""
LEARNED = """
    SELECT trace.id FROM labeling_learnedtext AS text JOIN labeling_trace AS trace
        ON trace.project_id = %(project)s AND trace.trace_hash = text.text_hash
    WHERE text.scorer_id = %(scorer)s ORDER BY trace.id
"""
NOT_LEARNED = "AND {id} <> ALL(%(learned)s::bigint[])"
QUEUED = """
    SELECT trace_id FROM labeling_task WHERE round_id = ANY(%(rounds)s)
    UNION SELECT trace_id FROM labeling_gold WHERE status = 'active'
"""
SCORED = """
    score.scorer_id = %(scorer)s AND score.score IS NOT NULL AND score.score <= 'Infinity'
    AND score.trace_id <= %(last)s AND {not_queued} {fitting}
"""
UNSCORED = """
    trace.project_id = %(project)s AND trace.outcome <> 'ungraded' AND trace.id <= %(last)s AND {not_queued} {fitting}
"""

WITH_CANDIDATES = """
    SELECT problem.id FROM unnest(%(problems)s::bigint[]) AS problem (id) CROSS JOIN LATERAL ({one} LIMIT 1) AS found
"""
A_SCORED_ONE = """
    SELECT FROM labeling_score AS score
    WHERE {scored} AND score.problem_id = problem.id AND score.outcome IN ('wrong', 'correct')
"""
AN_UNSCORED_ONE = "SELECT FROM labeling_trace AS trace WHERE {unscored} AND trace.problem_id = problem.id"

# WITH TIES, so that readers can order equal scores by the seed without missing any.
BEST_OF_PROBLEMS = """
    SELECT found.trace_id, problem.id, found.outcome, found.score, found.sketch
    FROM unnest(%(problems)s::bigint[]) AS problem (id) CROSS JOIN LATERAL (({wrong}) UNION ALL ({correct})) AS found
"""
BEST_OF_PROBLEM = """
    SELECT score.trace_id, score.outcome, score.score, coalesce(score.sketch, '') AS sketch
    FROM labeling_score AS score
    WHERE {scored} AND score.problem_id = problem.id AND score.outcome = '{outcome}'
    ORDER BY score.score DESC FETCH FIRST {places} ROWS WITH TIES
"""
BEST_OF_PROJECT = """
    SELECT score.trace_id, score.problem_id, score.outcome, score.score, coalesce(score.sketch, '')
    FROM labeling_score AS score
    WHERE {scored} AND score.project_id = %(project)s AND score.outcome = %(outcome)s
        AND score.problem_id <> ALL(%(barred)s::bigint[])
        AND score.score <= %(score)s AND (score.score < %(score)s OR {shuffle} > %(shuffle)s)
    ORDER BY score.score DESC, {shuffle} LIMIT %(limit)s
"""
BY_DRAW = """
    SELECT score.trace_id, score.problem_id, score.outcome, score.score, coalesce(score.sketch, ''), score.draw
    FROM labeling_score AS score
    WHERE {scored} AND score.project_id = %(project)s AND score.outcome <> 'ungraded'
        AND score.problem_id <> ALL(%(barred)s::bigint[])
        AND score.draw BETWEEN %(first)s AND %(last_draw)s AND (score.draw > %(first)s OR score.trace_id > %(after)s)
    ORDER BY score.draw, score.trace_id LIMIT %(limit)s
"""
BY_VALUE = """
    SELECT score.trace_id, score.problem_id, score.outcome, score.score, coalesce(score.sketch, ''), score.{value}
    FROM labeling_score AS score
    WHERE {scored} AND score.project_id = %(project)s AND score.outcome <> 'ungraded'
        AND score.problem_id <> ALL(%(barred)s::bigint[]) AND score.{value} IS NOT NULL
        AND score.{value} <= %(at)s::real AND (score.{value} < %(at)s::real OR {shuffle} > %(shuffle)s)
    ORDER BY score.{value} DESC, {shuffle} LIMIT %(limit)s
"""
# Ranks in the orders of two scorers of what both scored, from indexes. The sketches of the few wanted are read later.
APART = """
    SELECT trace_id, problem_id, outcome, score FROM (
        SELECT score.trace_id, score.problem_id, score.outcome, score.score,
            abs(percent_rank() OVER (ORDER BY score.score) - percent_rank() OVER (ORDER BY other.score)) AS apart
        FROM labeling_score AS score JOIN labeling_score AS other
            ON other.scorer_id = %(other)s AND other.trace_id = score.trace_id
            AND other.score IS NOT NULL AND other.score <= 'Infinity'
        WHERE {scored} AND score.project_id = %(project)s AND score.outcome <> 'ungraded'
            AND score.problem_id <> ALL(%(barred)s::bigint[])
    ) AS score
    ORDER BY apart DESC, {shuffle} LIMIT %(limit)s
"""
SKETCHES = "SELECT trace_id, coalesce(sketch, '') FROM labeling_score WHERE scorer_id = %s AND trace_id = ANY(%s)"
SHUFFLED_OF_PROBLEMS = """
    SELECT found.id, problem.id, found.outcome, NULL::float8
    FROM unnest(%(problems)s::bigint[]) AS problem (id) CROSS JOIN LATERAL (
        SELECT trace.id, trace.outcome FROM labeling_trace AS trace
        WHERE {unscored} AND trace.problem_id = problem.id ORDER BY {trace_shuffle} LIMIT %(limit)s
    ) AS found
"""
SHUFFLED = """
    SELECT trace.id, trace.problem_id, trace.outcome, NULL::float8 FROM labeling_trace AS trace
    WHERE {unscored} AND trace.problem_id <> ALL(%(barred)s::bigint[]) AND {trace_shuffle} > %(shuffle)s
    ORDER BY {trace_shuffle} LIMIT %(limit)s
"""
TEXTS = r"SELECT id, array_to_string(steps, E'\n') FROM labeling_trace WHERE id = ANY(%s)"


@dataclass(frozen=True)
class Pool:
    """The traces a round chooses from. The tasks of `but_round`, which chooses again, do not count as queued."""

    project: Project
    scorer_id: int | None
    filter: TraceFilter = EVERYTHING
    last_trace_id: int | None = None
    but_round: int | None = None

    @cached_property
    def problems(self) -> list[int]:
        """The problems that the filter admits, by id."""
        if self.filter.split not in (None, "", Problem.Split.TRAIN):
            return []
        fitting = problems_to_sample(self.project, filter=self.filter)
        return list(fitting.order_by("pk").values_list("pk", flat=True))

    @cached_property
    def barred(self) -> list[int]:
        """The project's other problems."""
        admitted = set(self.problems)
        every = Problem.objects.filter(project=self.project).order_by("pk").values_list("pk", flat=True)
        return [problem for problem in every if problem not in admitted]

    @cached_property
    def learned(self) -> list[int]:
        """The project's traces that the scorer learned from, according to its meta.json: it knows them by heart."""
        if self.scorer_id is None:
            return []
        with connection.cursor() as cursor:
            cursor.execute(LEARNED, {"project": self.project.pk, "scorer": self.scorer_id})
            return [trace for (trace,) in cursor.fetchall()]

    @property
    def filters_traces(self) -> bool:
        """Whether the filter has conditions on traces, and not only on problems."""
        asked = self.filter.as_json()
        return any(name in asked for name in TRACE_FILTERS)

    @cached_property
    def sql(self) -> "PoolSql":
        """The pool's conditions as SQL."""
        return PoolSql(self)


class PoolSql:
    """The conditions on candidates, as SQL with named parameters."""

    def __init__(self, pool: Pool) -> None:
        queued = Round.objects.filter(project=pool.project).exclude(status=Round.Status.CANCELLED)
        self.values: dict[str, Any] = {
            "project": pool.project.pk,
            "scorer": pool.scorer_id,
            "last": MOST_ID if pool.last_trace_id is None else pool.last_trace_id,
            "learned": pool.learned,
            "rounds": list(queued.exclude(pk=pool.but_round or 0).values_list("pk", flat=True)),
        }
        self._pool = pool
        self.scored = self._conditions(SCORED, "score.trace_id")
        self.scored_or_queued = fill(SCORED, not_queued="TRUE", fitting=self.fitting("score.trace_id"))
        self.unscored = self._conditions(UNSCORED, "trace.id")

    def rows(self, statement: str, pieces: Mapping[str, str] = NO_PIECES, /, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement about the pool. `pieces` are for slots that only this statement has."""
        with connection.cursor() as cursor:
            cursor.execute(fill_from({**self.pieces, **pieces}, statement), self.values | values)
            return cursor.fetchall()

    @cached_property
    def pieces(self) -> dict[str, str]:
        """The pieces for the slots that a statement about the pool may have."""
        return {
            "scored": self.scored,
            "unscored": self.unscored,
            "scored_or_queued": self.scored_or_queued,
            "queued": QUEUED,
            "shuffle": fill(SHUFFLE, id="score.trace_id"),
            "trace_shuffle": fill(SHUFFLE, id="trace.id"),
        }

    def fitting(self, id: str) -> str:
        """Return the filter's conditions on traces, applied to the trace with that id; empty if it has none.

        They are left out in that case because looking up a trace costs more than looking up its score.
        """
        if not self._pool.filters_traces:
            return ""
        traces = round_pool(self._pool.project, filter=self._pool.filter).filter(pk=RawSQL(id, []))
        sql, parameters = traces.order_by().values("pk").query.sql_with_params()
        names = [f"filter{number}" for number in range(len(parameters))]
        self.values |= dict(zip(names, parameters, strict=True))
        return f"AND EXISTS ({sql % tuple(f'%({name})s' for name in names)})"

    def _conditions(self, template: str, id: str) -> str:
        learned = f" {fill(NOT_LEARNED, id=id)}" if self._pool.learned else ""
        return fill(template, not_queued=fill(NOT_QUEUED, id=id) + learned, fitting=self.fitting(id))


def scored_problems(pool: Pool) -> list[int]:
    """Return the problems with a scored candidate."""
    statement = fill(WITH_CANDIDATES, one=A_SCORED_ONE)
    return [problem for (problem,) in pool.sql.rows(statement, problems=pool.problems)]


def unscored_problems(pool: Pool) -> list[int]:
    """Return the problems with a candidate, scored or not."""
    statement = fill(WITH_CANDIDATES, one=AN_UNSCORED_ONE)
    return [problem for (problem,) in pool.sql.rows(statement, problems=pool.problems)]


def best_of_problems(pool: Pool, problems: Sequence[int], *, wrong: int, correct: int) -> list[Candidate]:
    """Return, per problem, this many of the best wrong and best correct candidates, best first, with ties for last."""
    best = {
        outcome: fill(BEST_OF_PROBLEM, scored=pool.sql.scored, outcome=outcome, places=f"%({outcome})s")
        for outcome in ("wrong", "correct")
    }
    rows = pool.sql.rows(BEST_OF_PROBLEMS, best, problems=list(problems), wrong=wrong, correct=correct)
    return [Candidate(*row) for row in rows]


def shuffled_of_problems(pool: Pool, problems: Sequence[int], seed: int, limit: int) -> list[Candidate]:
    """Return, per problem, its first candidates in the seeded shuffle, scored or not."""
    rows = pool.sql.rows(SHUFFLED_OF_PROBLEMS, problems=list(problems), seed=str(seed), limit=limit)
    return [Candidate(*row) for row in rows]


def best_of_project(pool: Pool, outcome: str, seed: int, wanted: int, full: set[int]) -> Iterator[list[Candidate]]:
    """Yield pages of an outcome's candidates in the total order, without those of problems that are `full` by then."""
    place: dict[str, Any] = {"score": float("inf"), "shuffle": b""}
    while True:
        barred = [*pool.barred, *full]
        about = {"outcome": outcome, "seed": str(seed), "barred": barred, "limit": min(PAGE, wanted)}
        rows = pool.sql.rows(BEST_OF_PROJECT, **about, **place)
        if not rows:
            return
        yield [Candidate(*row) for row in rows]
        last = rows[-1]
        place = {"score": last[3], "shuffle": shuffle_key(seed, last[0])}


def by_value(pool: Pool, value: str, seed: int, wanted: int) -> Iterator[list[Candidate]]:
    """Yield pages of candidates by a column with the scorer's uncertainty, most unsure first, ties by the seed."""
    place: dict[str, Any] = {"at": float("inf"), "shuffle": b""}
    while True:
        about = {"seed": str(seed), "barred": pool.barred, "limit": min(PAGE, wanted)}
        rows = pool.sql.rows(BY_VALUE, {"value": value}, **about, **place)
        if not rows:
            return
        yield [Candidate(*row[:5]) for row in rows]
        place = {"at": rows[-1][5], "shuffle": shuffle_key(seed, rows[-1][0])}


def by_difference(pool: Pool, other: int, seed: int, wanted: int) -> Iterator[list[Candidate]]:
    """Yield pages of candidates by how far `other` differs from the pool's scorer. Each reads both indexes whole."""
    seen, limit = 0, wanted
    while True:
        rows = pool.sql.rows(APART, other=other, seed=str(seed), barred=pool.barred, limit=limit)
        with connection.cursor() as cursor:
            cursor.execute(SKETCHES, [pool.scorer_id, [row[0] for row in rows[seen:]]])
            sketches = dict(cursor.fetchall())
        yield [Candidate(*row)._replace(sketch=sketches[row[0]]) for row in rows[seen:]]
        if len(rows) < limit:
            return
        seen, limit = limit, limit * 4


def shuffled(pool: Pool, seed: int, wanted: int, full: set[int]) -> Iterator[list[Candidate]]:
    """Yield pages of candidates, scored or not, in the seeded shuffle. Each makes the database read the whole pool."""
    place = b""
    while rows := pool.sql.rows(
        SHUFFLED, seed=str(seed), barred=[*pool.barred, *full], shuffle=place, limit=max(wanted, PAGE)
    ):
        yield [Candidate(*row) for row in rows]
        place = shuffle_key(seed, rows[-1][0])


def by_draw(pool: Pool, seed: int, wanted: int) -> Iterator[list[Candidate]]:
    """Yield pages of scored candidates along the circle of draws, starting where the seed says."""
    start = control_start(seed)
    for first, last in ((start, (1 << 63) - 1), (-(1 << 63), start - 1)):
        after = 0
        while rows := pool.sql.rows(
            BY_DRAW, barred=pool.barred, first=first, last_draw=last, after=after, limit=min(PAGE, wanted)
        ):
            yield [Candidate(*row[:5]) for row in rows]
            first, after = rows[-1][5], rows[-1][0]


def texts_of(traces: Sequence[int]) -> dict[int, str]:
    """Return the steps of these traces, one step per line."""
    with connection.cursor() as cursor:
        cursor.execute(TEXTS, [list(traces)])
        return dict(cursor.fetchall())
