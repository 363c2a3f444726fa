"""Rounds that workers prepare: generate, grade, score, select. A person then publishes what was selected.

`Round.status` says whose turn it is, and `Round.planned` which stage's chunks are in the table. Every move requires the
state it starts from, so a duplicate message or a second click changes nothing.
"""

from dataclasses import replace

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Q
from django.db.models.functions import Now
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.jobs import send_task, wake_worker
from labeling.actions.label_consensus import overlap_columns, overlap_of
from labeling.actions.round_plans import freeze_inputs, plan_stage, stages_of
from labeling.configs import ScorerRef, StagedConfig
from labeling.configs.stages import GENERATING, ONE_A_PROJECT, QUEUEING, STAGES, WORKING
from labeling.errors import InvalidFields, NothingSelected, NothingToQueue, PrmNotReady, ProjectArchived, RoundRunning
from labeling.models import Project, Round, RoundChunk, StepScorer, User
from labeling.protocol.first_error import FIRST_ERROR
from labeling.protocol.registry import protocol_named
from labeling.quality.consensus import AskedOverlap
from labeling.queries.workers import processes_serving

Status = Round.Status

ADVANCE = "worker.advance_round"
RUN = "worker.run_chunks"
SWEEP_EVERY = 20  # seconds; a message of the sweep that nobody takes before the next sweep expires
AS_THE_PROJECT = AskedOverlap()
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('stepmark round ' || %s, 0))"


@transaction.atomic
def start_round(
    project: Project,
    *,
    by: User | None,
    scorer: StepScorer | None,
    config: StagedConfig,
    overlap: AskedOverlap = AS_THE_PROJECT,
    seed: int = 0,
    name: str = "",
    priority: int = 0,
    protocol: str = "",
) -> Round:
    """Start a round that workers prepare. `seed` is for the choice of traces and for their order. If no `protocol` is
    given, it is `every_step` for agents' runs, and `first_error` for other traces and for generated ones.

    With the same `config.client_key` again, returns the round it started. Raises ProjectArchived, RoundRunning,
    PrmNotReady, NothingToQueue, InvalidFields (generator, model, overlap, mix).
    """
    project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # assign numbers one at a time
    if config.client_key and (known := queries.rounds.opened_by(project, config.client_key)):
        return known
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    refuse_second_round(project)
    if scorer is not None and scorer.status != StepScorer.Status.READY:
        raise PrmNotReady(_why_not_ready(scorer), status=scorer.status)
    queries.mixes.require_mix(project, scorer, config.rules(seed))
    if config.generate and scorer is not None and not scorer.is_run_here:
        said = f"The scores of {scorer.name} were made elsewhere, so new traces would have none. Leave generating out."
        raise InvalidFields(fields={"generate": [said]})
    if config.generate:
        queries.candidates.require_generator(config.generate.generator, config.generate.model)
    pool = queries.rounds.round_pool(project, filter=config.filter)
    if not config.generate and not pool.exists():
        raise NothingToQueue
    usual = FIRST_ERROR.name if config.generate else queries.rounds.protocol_for(pool)
    about = ScorerRef(scorer.pk, scorer.name, scorer.fingerprint) if scorer else None
    round_ = Round(
        project=project,
        number=queries.rounds.next_number(project),
        name=name,
        scorer=scorer,
        protocol=protocol_named(protocol or usual).name,
        after_error=project.after_error,
        priority=priority,
        **overlap_columns(overlap_of(project, overlap)),
        seed=seed,
        config=replace(config, prm=about, inputs=None).as_json(),
        created_by=by,
    )
    round_.status = stages_of(round_)[0].status
    try:
        with transaction.atomic():
            round_.save()
    except IntegrityError:  # another round was resumed at the same moment
        refuse_second_round(project)
        raise
    audit_log.record("round.start", actor=by, project=project, target=f"round {round_.number}", **round_.config)
    wake_worker(ADVANCE, round_.pk)
    return round_


def advance_round(round_id: int, *, wake_same: bool = True) -> None:
    """Advance a round as far as possible without further work, and wake workers for the stage it reaches.

    With `wake_same`, wake them also for a stage that was planned before.
    """
    stage = move_on(round_id)
    if stage is None and wake_same:
        round_ = Round.objects.filter(pk=round_id, status__in=WORKING).first()
        stage = round_.planned if round_ else None
    if stage:
        wake_for_stage(round_id, stage)


def move_on(round_id: int) -> str | None:
    """Plan the stage after a finished one, or the next one if there is nothing to do. Returns the stage that was
    planned.

    Returns None if a stage is still being worked on, the round is not running, or it is ready now.
    """
    while True:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(LOCK, [round_id])
            round_ = Round.objects.select_related("project", "scorer").filter(pk=round_id, status__in=WORKING).first()
            if round_ is None or _unfinished(round_):
                return None
            stage = _stage_after(round_)
            if stage is None:
                (_make_ready if round_.is_staged else _serve)(round_)
                return None
            if _plan(round_, stage):
                return stage


def _plan(round_: Round, stage: str) -> int:
    """Create the stage's chunks and set the round to it. Undone if the round has been paused in the meantime."""
    if stage != GENERATING.name and round_.is_staged and round_.staged_config.inputs is None:
        round_.config = freeze_inputs(round_).as_json()
    chunks = plan_stage(round_, stage)
    as_it_was = Round.objects.filter(pk=round_.pk, status=round_.status, planned=round_.planned)
    if as_it_was.update(status=STAGES[stage].status, planned=stage, config=round_.config):
        return chunks
    RoundChunk.objects.filter(round=round_, stage=stage).delete()
    return 0


def _unfinished(round_: Round) -> bool:
    chunks = RoundChunk.objects.filter(round=round_, stage=round_.planned)
    return bool(round_.planned) and chunks.exclude(status=RoundChunk.Status.DONE).exists()


def _stage_after(round_: Round) -> str | None:
    order = list(STAGES)
    done = order[: order.index(round_.planned) + 1] if round_.planned else []
    return next((stage.name for stage in stages_of(round_) if stage.name not in done), None)


def _make_ready(round_: Round) -> None:
    if Round.objects.filter(pk=round_.pk, status__in=WORKING).update(status=Status.READY, error="", resume_to=""):
        tasks = Round.objects.values_list("task_count", flat=True).get(pk=round_.pk)
        audit_log.record(
            "round.ready", actor=None, project=round_.project, target=f"round {round_.number}", tasks=tasks
        )


def _serve(round_: Round) -> None:
    """Open a plain round whose traces are all queued, without a person's review. An empty one fails."""
    prepared = Round.objects.filter(pk=round_.pk, status=QUEUEING.status)
    if not round_.task_count:
        RoundChunk.objects.filter(round=round_).delete()  # a retry searches for traces again
        error = NothingToQueue.sentence
        prepared.update(status=Status.FAILED, resume_to=QUEUEING.status, planned="", error=error)
    elif prepared.update(status=Status.LABELING, opened_at=timezone.now(), error="", resume_to=""):
        about = {"tasks": round_.task_count, "gold": round_.gold_count}
        audit_log.record("round.serve", actor=None, project=round_.project, target=f"round {round_.number}", **about)


def wake_for_stage(round_id: int, stage: str, *, expires: float | None = None) -> int:
    """Send one message per process that could do a chunk now. Returns the number of messages."""
    chunks = RoundChunk.objects.filter(round=round_id, stage=stage).aggregate(
        running=Count("pk", filter=Q(status="running", leased_until__gte=Now())),
        waiting=Count("pk", filter=Q(status__in=["queued", "running"]) & ~Q(leased_until__gte=Now())),
    )
    queue = STAGES[stage].queue
    idle = max(1, processes_serving(queue)) - chunks["running"]
    messages = max(0, min(chunks["waiting"], idle))
    for _ in range(messages):
        send_task(RUN, round_id, stage, queue=queue, **({"expires": expires} if expires else {}))
    return messages


def sweep_rounds() -> None:
    """Wake workers for every round whose chunks wait or lost their worker, or that was not advanced."""
    for round_ in Round.objects.filter(status__in=WORKING).order_by("pk"):
        if _unfinished(round_):
            wake_for_stage(round_.pk, round_.planned, expires=SWEEP_EVERY)
        else:
            send_task(ADVANCE, round_.pk, queue="cpu", expires=SWEEP_EVERY)


def require_tasks(round_: Round) -> int:
    """Return the number of selected tasks. Raises NothingSelected, with what was left out, if there are none."""
    round_.refresh_from_db(fields=["task_count", "selection"])
    if not round_.task_count:
        dropped = (round_.selection or {}).get("dropped", {})
        left_out = ", ".join(f"{why.replace('_', ' ')} {count:,}" for why, count in dropped.items() if count)
        raise NothingSelected(
            f"No trace could be selected. Left out: {left_out or 'nothing, the pool is empty'}. "
            "Cancel this round and start one with a wider filter, or import or generate more traces.",
            dropped=dropped,
        )
    return round_.task_count


def refuse_second_round(project: Project, *, but: Round | None = None) -> None:
    """Raise RoundRunning if workers are preparing another staged round of the project."""
    others = Round.objects.exclude(pk=but.pk) if but else Round.objects.all()
    running = others.filter(project=project, status__in=ONE_A_PROJECT).first()
    if running is not None:
        raise RoundRunning(
            f"Round {running.number} of this project is {running.get_status_display().lower()}. "
            "Wait until it is ready, or pause or cancel it.",
            round=running.number,
        )


def _why_not_ready(scorer: StepScorer) -> str:
    reasons = {
        StepScorer.Status.UNCHECKED: "no worker has checked it yet. Start a worker for the queue gpu and try again.",
        StepScorer.Status.FAULTY: f"a worker could not use it: {scorer.error}",
        StepScorer.Status.RETIRED: "it is retired. Choose another one.",
    }
    return f"The PRM {scorer.name} cannot score: {reasons[StepScorer.Status(scorer.status)]}"
