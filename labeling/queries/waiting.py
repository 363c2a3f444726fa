"""What a queued job waits for: the jobs and rounds that the workers of its queue are doing or will do first."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Model

from labeling.configs.stages import SCORING, STAGES, WORKING
from labeling.errors import NotFound
from labeling.models import Evaluation, Export, ImportJob, Project, Release, Round, ScoreImport, TrainingRun, User
from labeling.models.jobs import Job
from labeling.models.sources import SourceChunk
from labeling.queries.job_kinds import JOBS, WORDS, queue_of
from labeling.queries.projects import RESEARCHER, role_reaches, visible_projects
from labeling.queries.sql_slots import fill
from labeling.queries.workers import processes_serving

Json = dict[str, Any]
KINDS: dict[str, type[Job]] = {str(model._meta.model_name): model for _task, model in JOBS}
ROUND = "round"
MOST_NAMED = 3

# By the database's clock, which workers claim by.
AHEAD = """
    SELECT '{kind}', id, project_id, status = 'running', created_at FROM {table}
    WHERE status = 'running' AND leased_until > now()
        OR status = 'queued' AND created_at < %(since)s AND coalesce(leased_until < now(), true)
"""
# Chunks come after everything else in their queue, so waiting ones delay nothing. Those of one source count as one.
SOURCES_AHEAD = """
    SELECT 'sourcechunk', min(chunk.id), chunk.project_id, true, min(chunk.created_at)
    FROM labeling_sourcechunk chunk JOIN labeling_sourcerun run ON run.id = chunk.run_id
    WHERE chunk.status = 'running' AND chunk.leased_until > now() GROUP BY run.scorer_id, chunk.project_id
"""
ROUNDS_AHEAD = """
    SELECT 'round', round.id, round.project_id, true, min(chunk.started_at)
    FROM labeling_roundchunk chunk JOIN labeling_round round ON round.id = chunk.round_id
    WHERE chunk.status = 'running' AND chunk.leased_until > now() AND chunk.stage = ANY(%(stages)s)
    GROUP BY round.id
"""
NAMES: dict[str, Callable[[Any], str]] = {
    "importjob": lambda job: job.file_name,
    "scoreimport": lambda job: job.file_name,
    "export": lambda job: job.format,
    "trainingrun": lambda job: job.name or job.base,
    "evaluation": lambda job: job.scorer.name,
    "release": lambda job: f"{job.name} {job.version}",
    "sourcechunk": lambda chunk: chunk.run.scorer.name,
    ROUND: lambda round_: round_.name or f"round {round_.number}",
}
NAMED: dict[str, tuple[type[Model], tuple[str, ...]]] = {
    "importjob": (ImportJob, ()),
    "scoreimport": (ScoreImport, ()),
    "export": (Export, ()),
    "trainingrun": (TrainingRun, ()),
    "evaluation": (Evaluation, ("scorer",)),
    "release": (Release, ()),
    "sourcechunk": (SourceChunk, ("run__scorer",)),
    ROUND: (Round, ()),
}
SAID = {ROUND: ROUND, "sourcechunk": "machine labels of"}  # where it differs from the usual name of such a job


class Ahead(NamedTuple):
    """A job or round that workers are doing now or will do first."""

    kind: str
    id: int
    project: int
    running: bool


def what_is_ahead(user: User, project: Project, kind: str, pk: int) -> Json:
    """Return {queue, workers, ahead, others} for a waiting job, or for a round one of whose stages waits.

    Nothing is ahead of a job that does not wait. `ahead` names what this person may see, at most MOST_NAMED entries,
    running ones first; `others` counts the rest. `workers` is how many tasks of the queue can be done at once. Six
    queries, and one for each kind that is named. Raises NotFound.
    """
    queue, since = _place_of(project, kind, pk)
    found = [] if queue is None else [one for one in _ahead(queue, since) if (one.kind, one.id) != (kind, pk)]
    mine = visible_projects(user).in_bulk({one.project for one in found})
    seen = [one for one in found if one.project in mine and role_reaches(mine[one.project].my_role, RESEARCHER)]  # type: ignore[attr-defined]  # by visible_projects
    named = seen[:MOST_NAMED]
    names = _names(named)
    return {
        "queue": queue or "",
        "workers": processes_serving(queue) if queue else 0,
        "ahead": [
            {
                "kind": one.kind,
                "id": one.id,
                "words": SAID.get(one.kind) or WORDS[KINDS[one.kind]],
                "name": names.get((one.kind, one.id), ""),
                "project": mine[one.project],
                "running": one.running,
            }
            for one in named
        ],
        "others": len(found) - len(named),
    }


def is_behind_rounds(run: TrainingRun) -> bool:
    """Return whether a training should leave the workers of the queue gpu to rounds requested before it.

    A round gives its worker back after a minute, so a training requested later would go first, for hours. If more
    processes serve the queue than there are rounds to score, the training has one for itself.
    """
    of_staged = Round.objects.filter(status__in=WORKING, scorer__isnull=False, created_at__lt=run.created_at)
    rounds = of_staged.filter(planned__in=["", SCORING.name]).count()
    return 0 < rounds >= processes_serving(SCORING.queue)


def _place_of(project: Project, kind: str, pk: int) -> tuple[str | None, Any]:
    """Return the queue on which it waits (None if it does not wait), and since when."""
    if kind == ROUND:
        round_ = Round.objects.filter(project=project, pk=pk).first()
        if round_ is None:
            raise NotFound
        waits = round_.planned in STAGES and not round_.chunks.filter(status="running").exists()
        return (STAGES[round_.planned].queue if waits else None), round_.created_at
    rows: Any = KINDS[kind]._default_manager
    job = rows.filter(project=project, pk=pk).first()
    if job is None:
        raise NotFound
    return (queue_of(KINDS[kind]) if job.status == Job.Status.QUEUED else None), job.created_at


def _ahead(queue: str, since: Any) -> list[Ahead]:
    """Return what is ahead: running work before waiting work, each ordered by age."""
    models = [model for _task, model in JOBS if queue_of(model) == queue]
    each = [
        SOURCES_AHEAD
        if model is SourceChunk
        else fill(AHEAD, kind=str(model._meta.model_name), table=model._meta.db_table)
        for model in models
    ]
    statement = " UNION ALL ".join([*each, ROUNDS_AHEAD])
    stages = [name for name, stage in STAGES.items() if stage.queue == queue]
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} ORDER BY 4 DESC, 5, 1, 2", {"since": since, "stages": stages})
        return [Ahead(*row[:4]) for row in cursor.fetchall()]


def _names(named: Iterable[Ahead]) -> dict[tuple[str, int], str]:
    ids: dict[str, list[int]] = {}
    for one in named:
        if one.kind in NAMED:
            ids.setdefault(one.kind, []).append(one.id)
    found = {}
    for kind, some in ids.items():
        model, beside = NAMED[kind]
        for row in model._default_manager.filter(pk__in=some).select_related(*beside):
            found[kind, row.pk] = NAMES[kind](row)
    return found
