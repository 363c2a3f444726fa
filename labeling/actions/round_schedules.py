"""The next round: workers prepare it once enough of the previous one is labeled, and a person publishes it.

Only for rounds that workers prepare: a plain round is served when it is opened, so nobody would have reviewed it.
"""

from dataclasses import replace

from django.db import transaction

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.round_stages import start_round
from labeling.configs import ConfigFault, StagedConfig
from labeling.errors import LabelingError, NotScheduled, RoundNotInStatus
from labeling.models import Project, Round, StepScorer, User
from labeling.quality.consensus import AskedOverlap

OVER = (Round.Status.CLOSED, Round.Status.CANCELLED)
SCHEDULE = ["status", "next_at", "next_by", "next_error", "next_round"]


@transaction.atomic
def schedule_next(round_: Round, *, by: User, at: int | None) -> Round:
    """Have the next round prepared once `at` percent of this one's labels are submitted. None: no longer. Raises
    NotScheduled, RoundNotInStatus.
    """
    _lock(round_)
    if not round_.is_staged:
        raise NotScheduled
    if round_.next_round_id is not None:
        raise NotScheduled("Its next round is already prepared. Cancel or publish that round first.")
    if round_.status in OVER:
        raise RoundNotInStatus(f"Round {round_.number} is {round_.get_status_display().lower()}.", status=round_.status)
    round_.next_at, round_.next_by, round_.next_error = at, by, ""
    round_.save(update_fields=["next_at", "next_by", "next_error"])
    audit_log.record("round.schedule", actor=by, project=round_.project, target=f"round {round_.number}", at=at)
    return round_


def sweep_schedules() -> int:
    """Start all rounds that are due, and return how many. One that cannot start says why, and is retried next time."""
    begun = 0
    for round_ in queries.rounds.due_for_the_next():
        try:
            begun += begin_next(round_)
        except LabelingError as error:
            _note_error(round_, error.detail)
        except ConfigFault as fault:  # stored by another version
            _note_error(round_, f"The settings of this round cannot be read: {fault} Start the next round yourself.")
    return begun


@transaction.atomic
def begin_next(round_: Round) -> bool:
    """Have workers prepare the round after this one. Returns False if that was done, or is no longer wanted. The new
    round has the same settings, with the next seed and the project's selector. Raises what `start_round` raises.
    """
    project = Project.objects.select_for_update(no_key=True).get(pk=round_.project_id)  # locked before its rounds
    _lock(round_)
    if round_.next_round_id is not None or round_.next_at is None or round_.status != Round.Status.LABELING:
        return False
    rule = round_.overlap_rule
    round_.next_round = start_round(
        project,
        by=round_.next_by,
        scorer=_selector(project, round_),
        config=_like(round_),
        overlap=AskedOverlap(rule.base, needed=rule.needed, most=rule.most),
        seed=round_.seed + 1,
        priority=round_.priority,
        protocol=round_.protocol,
    )
    round_.next_error = ""
    round_.save(update_fields=["next_round", "next_error"])
    return True


def _note_error(round_: Round, why: str) -> None:
    Round.objects.filter(pk=round_.pk, next_round=None).exclude(next_error=why).update(next_error=why)


def _selector(project: Project, round_: Round) -> StepScorer | None:
    """Return the PRM promoted since. A random choice stays random."""
    if round_.scorer is None:
        return None
    promotion = queries.training.selector_of(project)
    return promotion.scorer if promotion is not None and promotion.scorer is not None else round_.scorer


def _like(round_: Round) -> StagedConfig:
    config = round_.staged_config
    generate = config.generate and replace(config.generate, seed=config.generate.seed + 1)
    return replace(config, generate=generate, client_key=f"after round {round_.pk}")


def _lock(round_: Round) -> None:
    round_.refresh_from_db(fields=SCHEDULE, from_queryset=Round.objects.select_for_update(no_key=True))
