"""Plain rounds, which queue traces at once, and actions on any round: pause, resume, close."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Max
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.jobs import wake_worker
from labeling.actions.label_consensus import overlap_columns, overlap_of
from labeling.actions.round_chunks import retry_failed_chunks
from labeling.actions.round_queueing import queue_traces
from labeling.actions.round_stages import ADVANCE, refuse_second_round
from labeling.configs import Inputs, PlainConfig, ShownMarks
from labeling.configs.stages import ONE_A_PROJECT, QUEUEING, WORKING
from labeling.errors import InvalidFields, NothingToQueue, ProjectArchived, RoundNotInStatus
from labeling.models import Label, Project, Round, Trace, User
from labeling.protocol.registry import protocol_named
from labeling.quality.consensus import AskedOverlap

Status = Round.Status

AT_ONCE = 20_000  # traces; workers queue larger rounds
EVERYTHING = PlainConfig()
AS_THE_PROJECT = AskedOverlap()
# Wait for submissions in progress, so the report includes them. A later submission finds its label marked surplus,
# even if it began before the round was closed. A label submitted before and open again counts as submitted.
LATE = """
    UPDATE labeling_label AS label SET surplus = true FROM labeling_task AS task
    WHERE task.id = label.task_id AND task.round_id = %(round)s AND label.status = 'open' AND label.submitted_at IS NULL
"""


@transaction.atomic
def open_round(
    project: Project,
    *,
    by: User | None,
    config: PlainConfig = EVERYTHING,
    overlap: AskedOverlap = AS_THE_PROJECT,
    name: str = "",
    priority: int = 0,
    protocol: str = "",
    machine: ShownMarks | None = None,
) -> Round:
    """Queue traces. If no `protocol` is given, it is `every_step` for agents' runs, and `first_error` for others.
    `machine`: what labelers see of a machine; such a round holds no gold, since a missing mark would give it away.

    If there are more than AT_ONCE, workers queue them, and the round is `preparing` until then. With the same
    `config.client_key` again, returns the round it opened. Raises NothingToQueue if no trace fits, ProjectArchived,
    InvalidFields (overlap).
    """
    project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # assign numbers one at a time
    if config.client_key and (known := queries.rounds.opened_by(project, config.client_key)):
        return known
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    traces = queries.rounds.traces_to_queue(project, config)
    number = queries.rounds.count_up_to(traces, AT_ONCE + 1)
    if number == 0:
        raise NothingToQueue
    round_ = Round(
        project=project,
        number=queries.rounds.next_number(project),
        name=name,
        status=Status.LABELING,
        protocol=protocol_named(protocol or queries.rounds.protocol_for(traces)).name,
        after_error=project.after_error,
        priority=priority,
        **overlap_columns(overlap_of(project, overlap)),
        seed=config.seed,
        config=config.as_json(),
        machine=machine.as_json() if machine else {},
        created_by=by,
    )
    about = {"target": f"round {round_.number}", **round_.config, "overlap": round_.overlap}
    if round_.adapts:
        about |= {"most": round_.overlap_rule.most, "needed": round_.overlap_rule.needed}
    if round_.machine:
        about["machine"] = round_.machine
    if number > AT_ONCE:
        _leave_to_workers(round_)
    else:
        round_.opened_at = timezone.now()
        round_.save()
        queue_traces(round_, traces)
        about |= {"tasks": round_.task_count, "gold": round_.gold_count}
    audit_log.record("round.open", actor=by, project=project, **about)
    return round_


def _leave_to_workers(round_: Round) -> None:
    """Queue the traces that exist now. Traces imported in the meantime wait for another round."""
    newest = Trace.objects.filter(project=round_.project).aggregate(newest=Max("pk"))["newest"]
    round_.status = QUEUEING.status
    round_.config = replace(round_.plain_config, inputs=Inputs(newest)).as_json()
    round_.save()
    wake_worker(ADVANCE, round_.pk)


def pause_round(round_: Round, *, by: User | None) -> Round:
    """Stop serving the round's tasks, or let its workers stop where they are. Open labels continue."""
    return _move(round_, (Status.LABELING, *WORKING), Status.PAUSED, by=by, action="round.pause", keep=True)


@transaction.atomic
def resume_round(round_: Round, *, by: User | None) -> Round:
    """Continue a paused round, or retry a failed one. Finished work stays. Raises RoundRunning."""
    _lock(round_)
    if round_.status in (Status.LABELING, *WORKING):
        return round_
    back = Status(round_.resume_to or Status.LABELING)
    if back in WORKING:
        if back in ONE_A_PROJECT:
            refuse_second_round(round_.project, but=round_)
        retry_failed_chunks(round_)
        wake_worker(ADVANCE, round_.pk)
    stopped = (Status.PAUSED, Status.FAILED)
    try:
        with transaction.atomic():
            return _move(round_, stopped, back, by=by, action="round.resume", resume_to="", error="")
    except IntegrityError:  # another round was started at the same moment
        refuse_second_round(round_.project, but=round_)
        raise


@transaction.atomic
def cancel_round(round_: Round, *, by: User | None) -> Round:
    """Abandon an unpublished round. Its scores and generated traces are kept for later rounds."""
    _lock(round_)
    if round_.opened_at and round_.status != Status.CANCELLED:
        raise RoundNotInStatus(f"Round {round_.number} was published. Close it instead.", status=round_.status)
    unpublished = (*WORKING, Status.DRAFT, Status.READY, Status.PAUSED, Status.FAILED)
    now = timezone.now()
    return _move(round_, unpublished, Status.CANCELLED, by=by, action="round.cancel", closed_at=now)


@transaction.atomic
def publish_round(round_: Round, *, by: User | None) -> Round:
    """Serve the selected tasks. Raises ProjectArchived, and RoundNotInStatus before the round is ready."""
    _lock(round_)
    if round_.opened_at is not None:
        return round_
    if Project.objects.filter(pk=round_.project_id, status=Project.Status.ARCHIVED).exists():
        raise ProjectArchived
    ready = (Status.READY,)
    return _move(round_, ready, Status.LABELING, by=by, action="round.publish", opened_at=timezone.now())


@transaction.atomic
def close_round(round_: Round, *, by: User | None) -> Round:
    """Freeze the round for good, with its report. Labels still open can be submitted, and are kept as surplus.

    If the project trains at each close, this is noted here for the sweep (`training_at_close`).
    """
    _lock(round_)
    if round_.status == Status.PAUSED and round_.opened_at is None:
        raise RoundNotInStatus(f"Round {round_.number} was never published. Cancel it.", status=round_.status)
    if round_.status == Status.CLOSED:
        return round_
    open_ones = (Status.LABELING, Status.PAUSED, Status.READY)
    _move(round_, open_ones, Status.CLOSED, by=by, action="round.close", closed_at=timezone.now())
    Label.objects.filter(task__round=round_, status=Label.Status.PREFETCHED).update(
        status=Label.Status.EXPIRED, leased_until=timezone.now()
    )
    with connection.cursor() as cursor:
        cursor.execute(LATE, {"round": round_.pk})
    round_.report = queries.round_report.round_report(round_)
    round_.training_due = queries.training_at_close.is_wanted_at(round_)
    round_.save(update_fields=["report", "training_due"])
    return round_


def require_published(project: Project, ids: Collection[int]) -> list[int]:
    """Return these rounds' ids in order, each once. Raises InvalidFields unless all are published rounds here."""
    wanted = sorted(set(ids))
    if len(queries.training.trainable_rounds(project, wanted)) < len(wanted):
        raise InvalidFields(fields={"round_ids": ["Choose published rounds of this project."]})
    return wanted


def _lock(round_: Round) -> None:
    """Re-read the row that decides the move, holding its lock until we are done."""
    about = ["status", "resume_to", "opened_at", "task_count"]
    round_.refresh_from_db(fields=about, from_queryset=Round.objects.select_for_update(no_key=True))


@transaction.atomic
def _move(
    round_: Round,
    was: Collection[str],
    becomes: Round.Status,
    *,
    by: User | None,
    action: str,
    keep: bool = False,
    **values: Any,
) -> Round:
    """Change the round's status, unless it has it. `keep` remembers the old one. Raises RoundNotInStatus."""
    _lock(round_)
    if round_.status == becomes:
        return round_
    if round_.status not in was:
        raise RoundNotInStatus(f"Round {round_.number} is {round_.get_status_display().lower()}.", status=round_.status)
    changed = {**values, "status": becomes} | ({"resume_to": round_.status} if keep else {})
    for name, value in changed.items():
        setattr(round_, name, value)
    round_.save(update_fields=list(changed))
    audit_log.record(action, actor=by, project=round_.project, target=f"round {round_.number}")
    return round_
