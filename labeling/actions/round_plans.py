"""Plans a stage of a round: which problems' traces are in each chunk, written in one statement."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.db import connection
from django.db.models import Exists, Max, OuterRef
from django.utils.module_loading import import_string

from labeling.configs import GraderSettings, Inputs, StagedConfig
from labeling.configs.stages import STAGES, Asked, Stage, stages_wanted
from labeling.grading import GRADER_VERSION
from labeling.models import Project, Round, RoundChunk, Trace
from labeling.queries.rounds import problems_to_sample, round_pool
from labeling.queries.sql_slots import fill
from labeling.queries.stage_todos import Todo

MOST = (1 << 31) - 1  # everything in one chunk

# A chunk begins where the number of traces before it reaches the next multiple of the size. No problem is ever split.
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


def stages_of(round_: Round) -> list[Stage]:
    """Return the requested stages in order. Empty for a plain round whose traces were queued at once."""
    gradable = round_.project.answer_kind != Project.AnswerKind.NONE
    return stages_wanted(Asked(round_.asked, gradable, scored=_is_scored_by_workers(round_)))


def _is_scored_by_workers(round_: Round) -> bool:
    return round_.scorer is not None and round_.scorer.is_run_here


def plan_stage(round_: Round, name: str) -> int:
    """Write the stage's chunks in one statement. Returns their number. Repeating it changes nothing."""
    stage = STAGES[name]
    if stage.todo is None:
        RoundChunk.objects.get_or_create(
            round=round_, stage=name, number=0, defaults={"first_problem": 0, "last_problem": 0}
        )
        return 1
    to_do: Callable[[Round], Todo] = import_string(stage.todo)
    todo = to_do(round_)
    about = {"round": round_.pk, "stage": name, "size": MOST if stage.chunk is None else stage.chunk * todo.each}
    with connection.cursor() as cursor:
        cursor.execute(*_with_names(PLAN, todo, about))
    return RoundChunk.objects.filter(round=round_, stage=name).count()


def freeze_inputs(round_: Round) -> StagedConfig:
    """Return the round's config with its fixed inputs: traces up to the newest, and how answers are graded."""
    project, config = round_.project, round_.staged_config
    newest = Trace.objects.filter(project=project).aggregate(newest=Max("pk"))["newest"] or 0
    pool = round_pool(project, filter=config.filter, last_trace_id=newest).filter(problem=OuterRef("pk"))
    problems = problems_to_sample(project, filter=config.filter).filter(Exists(pool)).count()
    grader = GraderSettings(GRADER_VERSION, project.answer_kind, project.answer_tolerance)
    return replace(config, inputs=Inputs(newest, problems, grader))


def _with_names(statement: str, todo: Todo, about: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the statement with the inner query's positional parameters named, as the driver takes one kind only."""
    names = {f"inner{number}": value for number, value in enumerate(todo.parameters)}
    pieces = todo.sql.split("%s")
    inner = pieces[0] + "".join(f"%({name})s{piece}" for name, piece in zip(names, pieces[1:], strict=True))
    return fill(statement, todo=inner), {**about, **names}
