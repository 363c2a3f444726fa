"""Plans a stage of a round: which problems' traces are done together in one go, written in one statement."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Exists, Max, OuterRef, QuerySet

from labeling.grading import GRADER_VERSION
from labeling.models import Project, Round, RoundChunk, Trace
from labeling.queries.rounds import problems_to_sample, traces_of_plain_round
from labeling.queries.scores import pool_of, traces_to_grade
from labeling.queries.sql_slots import fill

Stage = RoundChunk.Stage

STAGED = "prm"  # config["source"] of a round that workers prepare

MOST = (1 << 31) - 1  # all in one chunk
GENERATED_PROBLEMS = 16  # problems of a generating chunk
GRADED_TRACES = 2_000  # about so many traces of a grading chunk
SCORED_TRACES = 256  # about so many traces of a scoring chunk: what a killed worker costs at most

# A chunk begins where the traces before it reach the next multiple of the size: no problem is ever split.
PLAN = """
    INSERT INTO labeling_roundchunk
        (round_id, stage, number, first_problem, last_problem, total, done, status, attempts, worker, error)
    SELECT %(round)s, %(stage)s, row_number() OVER (ORDER BY min(problem_id)) - 1,
        min(problem_id), max(problem_id), sum(todo), 0, 'queued', 0, '', ''
    FROM (
        SELECT problem_id, todo, (sum(todo) OVER (ORDER BY problem_id) - todo)::bigint / %(size)s AS bucket
        FROM ({todo}) AS todo_by_problem
    ) AS placed
    GROUP BY bucket
    ON CONFLICT DO NOTHING
"""
TO_GENERATE = "SELECT problem.pk AS problem_id, {n} AS todo FROM ({problems}) AS problem"
TO_COUNT = "SELECT pool.problem_id, count(*) AS todo FROM ({pool}) AS pool GROUP BY pool.problem_id"
TO_SCORE = """
    SELECT pool.problem_id, count(*) FILTER (WHERE score.trace_id IS NULL) AS todo
    FROM ({pool}) AS pool LEFT JOIN labeling_score AS score ON score.scorer_id = {scorer} AND score.trace_id = pool.pk
    GROUP BY pool.problem_id
    HAVING bool_or(score.trace_id IS NULL) OR {rescore} AND bool_or(NOT score.exact)
"""


class Todo(NamedTuple):
    """A query of (problem_id, todo), its parameters, and how much makes a chunk."""

    sql: str
    parameters: Sequence[Any]
    size: int


def stages_of(round_: Round) -> list[str]:
    """The stages that were asked for, in their order; none for a plain round that was on the queue at once."""
    config = round_.config
    if config.get("source") != STAGED:
        return [Stage.QUEUEING.value] if config.get("inputs") else []
    grades = config["grade"] and round_.project.answer_kind != Project.AnswerKind.NONE
    asked = {
        Stage.GENERATING: bool(config["generate"]),
        Stage.GRADING: grades,
        Stage.SCORING: round_.scorer_id is not None,
        Stage.SELECTING: True,
    }
    return [stage.value for stage, wanted in asked.items() if wanted]


def plan_stage(round_: Round, stage: str) -> int:
    """Write the stage's chunks; how many there are. Done again it changes nothing. One statement."""
    if stage == Stage.SELECTING:
        RoundChunk.objects.get_or_create(
            round=round_, stage=stage, number=0, defaults={"first_problem": 0, "last_problem": 0}
        )
        return 1
    todo = TODO[Stage(stage)](round_)
    about = {"round": round_.pk, "stage": stage, "size": todo.size}
    with connection.cursor() as cursor:
        cursor.execute(*_with_names(PLAN, todo, about))
    return RoundChunk.objects.filter(round=round_, stage=stage).count()


def freeze_inputs(round_: Round) -> dict[str, Any]:
    """The round's config with what it reads from now on: traces up to the newest, and how answers are graded."""
    project = round_.project
    newest = Trace.objects.filter(project=project).aggregate(newest=Max("pk"))["newest"] or 0
    config = {**round_.config, "inputs": {"problems": 0, "last_trace_id": newest}}
    round_.config = config
    problems = problems_to_sample(project, filter=config["filter"])
    pool = pool_of(round_).filter(problem=OuterRef("pk"))
    config["inputs"]["problems"] = problems.filter(Exists(pool)).count()
    config["inputs"]["grader"] = {
        "version": GRADER_VERSION,
        "answer_kind": project.answer_kind,
        "answer_tolerance": project.answer_tolerance,
    }
    return config


def _to_generate(round_: Round) -> Todo:
    samples = int(round_.config["generate"]["n"])
    sql, parameters = _sql(problems_to_sample(round_.project, filter=round_.config["filter"]), "pk")
    return Todo(TO_GENERATE.format(n=samples, problems=sql), parameters, GENERATED_PROBLEMS * samples)


def _to_grade(round_: Round) -> Todo:
    sql, parameters = _sql(traces_to_grade(round_), "pk", "problem_id")
    return Todo(TO_COUNT.format(pool=sql), parameters, GRADED_TRACES)


def _to_score(round_: Round) -> Todo:
    sql, parameters = _sql(pool_of(round_), "pk", "problem_id")
    assert round_.scorer_id is not None
    again = str(bool(round_.config["rescore"])).upper()
    return Todo(TO_SCORE.format(pool=sql, scorer=int(round_.scorer_id), rescore=again), parameters, SCORED_TRACES)


def _to_queue(round_: Round) -> Todo:
    """Everything in one chunk: see `labeling.actions.round_queueing`."""
    sql, parameters = _sql(traces_of_plain_round(round_), "pk", "problem_id")
    return Todo(TO_COUNT.format(pool=sql), parameters, MOST)


TODO: dict[Stage, Callable[[Round], Todo]] = {
    Stage.GENERATING: _to_generate,
    Stage.GRADING: _to_grade,
    Stage.SCORING: _to_score,
    Stage.QUEUEING: _to_queue,
}


def _sql(rows: QuerySet[Any], *columns: str) -> tuple[str, Sequence[Any]]:
    return rows.order_by().values(*columns).query.sql_with_params()


def _with_names(statement: str, todo: Todo, about: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The statement with the inner query's positional parameters under names, as the driver takes one kind only."""
    names = {f"inner{number}": value for number, value in enumerate(todo.parameters)}
    pieces = todo.sql.split("%s")
    inner = pieces[0] + "".join(f"%({name})s{piece}" for name, piece in zip(names, pieces[1:], strict=True))
    return fill(statement, todo=inner), {**about, **names}
