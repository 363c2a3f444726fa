"""The Celery tasks. Each may run twice or be interrupted at any line: the row in the database decides."""

import logging
import os
import socket
from collections.abc import Callable
from functools import partial
from threading import Thread
from time import sleep
from typing import Any

from celery import Task, shared_task
from celery.signals import beat_init, worker_ready
from celery.worker.consumer import Consumer
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from django.utils.module_loading import import_string

from labeling import queries
from labeling.actions import (
    digests,
    evaluations,
    exports,
    gold_plans,
    gradings,
    import_files,
    imported_scores,
    imports,
    invitations,
    jobs,
    kept_files,
    label_pushes,
    labeler_quality,
    labels,
    logged_in,
    notices,
    prm_connections,
    project_moves,
    release_folder,
    releases,
    searchable,
    source_run_endings,
    source_runs,
    step_offers,
    step_scorers,
    suggestions,
    training_runs,
    webhook_deliveries,
    workers,
)
from labeling.actions.job_faults import is_the_machines
from labeling.actions.round_chunks import Work, run_chunks
from labeling.actions.round_schedules import sweep_schedules
from labeling.actions.round_stages import ADVANCE, RUN, advance_round, sweep_rounds
from labeling.actions.training_at_close import sweep_closes
from labeling.configs.stages import STAGES
from labeling.grading.process_pool import GradingPool
from labeling.models import (
    Export,
    GradingJob,
    ImportJob,
    LabelPush,
    NoticeKind,
    Project,
    ProjectMove,
    Release,
    ReleasePush,
    Round,
    ScoreImport,
    SourceChunk,
    StepScorer,
    TrainingRun,
)
from worker.model_folders import model_folders
from worker.turns import QUEUE, one_long_job_per_project

logger = logging.getLogger(__name__)
SIGN_OF_LIFE = 20.0  # seconds
WATCH_SECONDS = 60.0
TURN_SECONDS = 60.0  # for which a worker takes chunk after chunk of one run, or makes rows searchable


def _project_of(model: Any) -> Callable[..., int | None]:
    """Return a function from a row's id to its project's id; None if there is no such row."""
    return lambda pk, *_: model.objects.filter(pk=pk).values_list("project_id", flat=True).first()


def _project_of_stage(round_id: int, stage: str, *_: object) -> int | None:
    return _project_of(Round)(round_id) if STAGES[stage].queue == QUEUE else None


def _project_whose_server_is_asked(chunk_id: int) -> int | None:
    asking = SourceChunk.objects.filter(pk=chunk_id, run__scorer__kind__in=StepScorer.ASK_A_SERVER)
    return asking.values_list("project_id", flat=True).first()


@shared_task(name="worker.run_import")
@one_long_job_per_project(_project_of(ImportJob))
def run_import(job_id: int) -> None:
    """Import one uploaded file, and have the new traces checked and made searchable."""
    job = imports.run_import(job_id)
    if job is not None and job.status == job.Status.SUCCEEDED and not job.dry_run:
        searchable.wake_writer()
        source_runs.verify_new_traces(job.project, by=job.created_by)


@shared_task(name=searchable.TASK)
def write_trace_words() -> None:
    """Make new and changed problems and steps searchable, until none are waiting or it is others' turn."""
    if searchable.make_searchable(TURN_SECONDS):
        searchable.wake_writer()


@shared_task(name=source_runs.TASK)
@one_long_job_per_project(_project_whose_server_is_asked)
def mark_traces(chunk_id: int) -> None:
    """Have a source of machine labels mark a chunk of a run's traces; if it uses a server, also further chunks, for a
    while: the libraries that grade take seconds to load, and a message that finds its chunk done does nothing.
    """
    from worker.marking_turn import mark_chunks  # noqa: PLC0415 (HTTP is loaded by processes that call somebody)

    mark_chunks(chunk_id, TURN_SECONDS)


@shared_task(name="worker.import_scores")
@one_long_job_per_project(_project_of(ScoreImport))
def import_scores(job_id: int) -> None:
    """Import one file of scores that were made elsewhere."""
    imported_scores.run_score_import(job_id)


@shared_task(name="worker.run_export")
@one_long_job_per_project(_project_of(Export))
def run_export(export_id: int) -> None:
    """Write one export, from where it stopped."""
    exports.run_export(export_id)


@shared_task(name=releases.RUN)
@one_long_job_per_project(_project_of(Release))
def run_release(release_id: int) -> None:
    """Check a draft, or pack what was released."""
    releases.run_release(release_id)


@shared_task(name=releases.PUSH)
@one_long_job_per_project(_project_of(ReleasePush))
def push_release(push_id: int) -> None:
    """Push a release to a place that the operator configured."""
    from worker.release_places import send_folder  # noqa: PLC0415 (the clients of hub and buckets take 40 megabytes)

    releases.run_push(push_id, send_folder)


@shared_task(name=label_pushes.PUSH)
@one_long_job_per_project(_project_of(LabelPush))
def push_labels(push_id: int) -> None:
    """Send labels of runs to the service that recorded the runs."""
    from worker.score_places import opened_service  # noqa: PLC0415 (HTTP is loaded by processes that call somebody)

    label_pushes.run_push(push_id, opened_service)


@shared_task(name=project_moves.MOVE)
@one_long_job_per_project(_project_of(ProjectMove))
def move_project(move_id: int) -> None:
    """Move an archived project's rows to its file, or bring them back."""
    project_moves.run_move(move_id)


@shared_task(name="worker.grade_traces")
@one_long_job_per_project(_project_of(GradingJob))
def grade_traces(job_id: int) -> None:
    """Grade a project's traces in processes that can be killed, or apply a grading; from where it stopped."""
    with GradingPool(processes=os.cpu_count() or 1) as pool:
        gradings.run_grading(job_id, pool.grade)


@shared_task(name=ADVANCE)
def advance(round_id: int) -> None:
    """Move a staged round on if its stage is done, and wake workers for its chunks."""
    advance_round(round_id)


@shared_task(name=RUN, bind=True)
def run_stage(task: Task, round_id: int, stage: str) -> None:
    """Do chunks of a round's stage until none is left or it is others' turn."""
    name = f"{task.request.hostname or socket.gethostname()}/{os.getpid()}"
    is_more = _run_chunks(round_id, stage, name)
    if is_more:
        jobs.send_task(RUN, round_id, stage, queue=STAGES[stage].queue)
    elif is_more is not None:
        advance_round(round_id, wake_same=False)


@one_long_job_per_project(_project_of_stage)
def _run_chunks(round_id: int, stage: str, worker: str) -> bool:
    with GradingPool(processes=os.cpu_count() or 1) as pool:  # starts nothing before the first answer
        return run_chunks(round_id, stage, work_of(stage, pool), worker=worker)


def work_of(stage: str, pool: GradingPool) -> Work:
    """Return the function for a chunk of a stage, loaded here: only workers of the queue gpu have torch."""
    work: Callable[..., int] = import_string(STAGES[stage].work)
    return partial(work, grade=pool.grade) if STAGES[stage].grades else work


@shared_task(name=suggestions.EXPLAIN)
def explain_steps() -> None:
    """Write what labels requested at steps that may be wrong, until no request is waiting."""
    from worker.explaining import explain  # noqa: PLC0415 (HTTP is loaded by processes that call somebody)

    suggestions.run_requests(explain)


@shared_task(name="worker.check_prm")
def check_prm(prm_id: int) -> None:
    """Load a PRM, score one trace with it, and note what was found."""
    from worker.scoring_chunks import describe  # noqa: PLC0415 (only workers of the queue gpu have torch)

    step_scorers.check_prm(StepScorer.objects.select_related("project").get(pk=prm_id), describe)


@shared_task(name=prm_connections.TRY)
def try_prm(trial_id: int) -> None:
    """Score a trace that a user typed."""
    from worker.scoring_chunks import score_trial  # noqa: PLC0415 (only workers of the queue gpu have torch)

    prm_connections.run_trial(trial_id, score_trial)


@shared_task(name="worker.train_prm")
def train_prm(run_id: int) -> None:
    """Train a PRM on the labels of a run's rounds, from where it stopped. Rounds that were there before go first."""
    run = TrainingRun.objects.filter(pk=run_id, status=TrainingRun.Status.QUEUED).first()
    if run is not None and queries.waiting.is_behind_rounds(run):
        return  # the sweep tries again
    from worker.scoring_chunks import describe  # noqa: PLC0415 (only workers of the queue gpu have torch)
    from worker.training import train  # noqa: PLC0415

    training_runs.run_training(run_id, train, describe)


@shared_task(name="worker.evaluate_prm")
def evaluate_prm(evaluation_id: int) -> None:
    """Measure a PRM on an evaluation set, scoring what it has not seen."""
    from worker.evaluation import score_traces  # noqa: PLC0415 (only workers of the queue gpu have torch)

    evaluations.run_evaluation(evaluation_id, score_traces)


@shared_task(name="worker.score_project")
def score_project(project_id: int, prm_id: int, rescore: int) -> tuple[str, int]:
    """Score a project's traces without a round, in this process. Return why it ended early, and how many it scored."""
    from worker import scoring_chunks  # noqa: PLC0415 (only workers of the queue gpu have torch)

    project, prm = Project.objects.get(pk=project_id), StepScorer.objects.get(pk=prm_id)
    return scoring_chunks.score_project(project, prm, rescore)


@shared_task(name=jobs.DELIVER)
def deliver(delivery_id: int) -> None:
    """Send one message to a webhook or by mail."""
    _send(delivery_id)


def _send(delivery_id: int) -> None:
    from worker.webhooks import WebhookTransport  # noqa: PLC0415 (HTTP is loaded by processes that call somebody)

    webhook_deliveries.deliver(delivery_id, WebhookTransport.from_settings().post)


@shared_task(name=invitations.TELL)
def tell_invited(invitation_id: int) -> None:
    """Notify a user of an invitation."""
    invitations.tell_invited(invitation_id)


@shared_task(name=step_offers.COMPLETE)
def complete_steps(offer_id: int) -> None:
    """Request the completions of paths until nobody waits for any; those that a labeler is looking at come first."""
    from worker import step_completions  # noqa: PLC0415 (HTTP is loaded by processes that call somebody)

    step_completions.complete_offers()


@shared_task(name="worker.renew_answer")
def renew_answer(project_id: int, name: str, about: dict[str, Any]) -> None:
    """Recompute what the pages of a large project show."""
    from labeling.api import kept_answers  # noqa: PLC0415 (shapes take memory that no other task needs)

    kept_answers.renew_answer(project_id, name, about)


@shared_task(name="worker.evaluate_labelers")
def evaluate_labelers() -> None:
    """Assess new gold results, and pause the labelers who fail on them."""
    labeler_quality.evaluate_labelers()


@shared_task(name="worker.spread_gold")
def spread_gold() -> None:
    """Keep gold spread over what each labeler can still expect to do."""
    gold_plans.spread_gold()


SWEEP: tuple[Callable[[], object], ...] = (
    labels.expire_overdue_labels,
    jobs.sweep_jobs,
    source_run_endings.settle_runs,
    sweep_schedules,
    sweep_rounds,
    step_offers.sweep_offers,
    step_scorers.sweep_prms,
    suggestions.sweep_requests,
    searchable.sweep_unsearched,
    import_files.forget_stray_uploads,
    import_files.forget_old_uploads,
    release_folder.forget_half_packed,
    kept_files.forget_cached,
    logged_in.forget_ended_sessions,
    invitations.tell_invited,
    notices.watch_rounds,
    notices.watch_haste,
    notices.watch_workers,
    digests.tell_digests,
    webhook_deliveries.sweep_deliveries,
    sweep_closes,
)


@shared_task(name="worker.sweep")
def sweep() -> None:
    """Find what was lost (overdue leases; jobs and chunks whose worker died or was never woken) and what people must be
    notified of. A step that fails does not stop the others, which are for all projects; then the task fails, too.
    """
    failed = []
    for step in SWEEP:
        try:
            step()
        except Exception as fault:
            logger.exception("the sweep's step %s failed", step.__name__)
            failed.append(step.__name__)
            if is_the_machines(fault):
                connection.close()  # it may be broken: the next step opens another
    if failed:
        raise RuntimeError(f"Steps of the sweep failed: {', '.join(failed)}. The log has the reason of each.")


@beat_init.connect
def watch_from_beat(**_: object) -> None:
    """Watch the workers from beat: if none is alive, nothing else can report it. Beat also sends the notices."""
    Thread(target=_watch_workers, daemon=True).start()


def _watch_workers(wait: Callable[[float], object] = sleep) -> None:
    while True:
        wait(WATCH_SECONDS)
        try:
            if notices.watch_workers():
                for delivery in queries.notices.due_deliveries(timezone.now()).filter(kind=NoticeKind.NO_WORKER):
                    _send(delivery.pk)
        except DatabaseError:  # Postgres is away for a moment
            logger.warning("workers were not looked after", exc_info=True)
        finally:
            connection.close()


@worker_ready.connect
def show_signs_of_life(sender: Consumer, **_: object) -> None:
    """Note every 20 s that the worker is alive, from its main process: long jobs do not hold that up."""
    _show_life(sender)
    sender.timer.call_repeatedly(SIGN_OF_LIFE, _show_life, (sender,))


def _show_life(worker: Consumer) -> None:
    try:
        queues = list(worker.app.amqp.queues.consume_from)
        controller = worker.controller  # type: ignore[attr-defined]  # the stubs leave it out
        processes = controller.max_concurrency or controller.concurrency  # the first with `--autoscale`
        found = model_folders(settings.MODELS_DIR) if "gpu" in queues else []
        workers.record_heartbeat(str(worker.hostname), queues, processes, found)
    except DatabaseError:  # Postgres is away for a moment: the next sign follows in 20 s
        logger.warning("no sign of life written", exc_info=True)
    finally:
        connection.close()  # processes forked later must not share it
