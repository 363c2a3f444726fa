"""What machines suggest at a step that may be wrong: requested by labels, written by workers, kept for good.

Nobody waits: the page continues, and shows suggestions when they arrive.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db import close_old_connections, connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from labeling import queries
from labeling.actions.job_faults import is_the_machines, reason_of
from labeling.actions.jobs import MOST_ATTEMPTS, PAUSE, Lease, LeaseLost, leased, send_task, write_patiently
from labeling.configs import ExplainingConfig
from labeling.configs.reading import write_config
from labeling.errors import LabelingError, SubmissionMismatch
from labeling.generation.explaining import version_of
from labeling.generation.sampling import storable
from labeling.models import Label, Suggestion, SuggestionAsk, SuggestionRequest
from labeling.models.jobs import LEASE
from labeling.queries.suggestions import StepToExplain

logger = logging.getLogger(__name__)
Status = SuggestionRequest.Status
EXPLAIN = "worker.explain_steps"
GIVEN_UP = timedelta(minutes=10)  # after this, a failed step is requested again
RENEW = """
    UPDATE {table} SET leased_until = now() + make_interval(secs => %s), {progress}
    WHERE id = %s AND lease_token = %s AND status = 'running' RETURNING false
"""
CLAIM = """
    UPDATE labeling_suggestionrequest SET status = 'running', lease_token = %(token)s, attempts = attempts + 1,
        leased_until = now() + make_interval(secs => %(seconds)s)
    WHERE id = (
        SELECT id FROM labeling_suggestionrequest WHERE status IN ('queued', 'running')
        AND (leased_until IS NULL OR leased_until < now()) ORDER BY id DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id
"""
# Writes explanations and other next steps for one step, by its request's settings; calls `require` to learn when to
# stop.
Explain = Callable[[StepToExplain, ExplainingConfig, Callable[[], None]], dict[str, list[str]]]


class SuggestionLease(Lease):
    """The lease of one request. Nobody asks it to stop."""

    renew = RENEW


def ask_suggestions(label: Label, step: int | None) -> dict[str, Any]:
    """Return what machines suggest at the label's step, and request it if nobody has yet.

    Without a step, request those ahead that the round's PRM likes least, and return none. Raises SubmissionMismatch.
    """
    asked = label.task.round.after_error_config
    if step is None:
        for likely in queries.suggestions.likely_steps(label):
            _ask(label, likely)
        return _told("none", [])
    if step >= len(label.task.trace.steps):
        raise SubmissionMismatch(f"Step {step} is beyond the last one. Reload the page.")
    if asked.explaining is None:
        here = queries.suggestions.ready_suggestions(label, step, generated=False) if asked.from_file else []
        return _told("here" if here else "none", here)
    state = queries.suggestions.state_of(_ask(label, step), timezone.now())
    return _told(state, queries.suggestions.ready_suggestions(label, step, generated=state == "here"))


def run_requests(explain: Explain) -> int:
    """Do all waiting requests, the newest first: somebody is looking at that. Returns how many there were."""
    done = 0
    while (request := _claim()) is not None:
        _run(request, explain)
        done += 1
    return done


def sweep_requests() -> None:
    """Wake a worker if a request waits or its worker died."""
    waits = Q(leased_until=None) | Q(leased_until__lt=Now())
    if SuggestionRequest.objects.filter(waits, status__in=[Status.QUEUED, Status.RUNNING]).exists():
        send_task(EXPLAIN)


def _told(state: str, suggestions: list[dict[str, Any]]) -> dict[str, Any]:
    return {"state": state, "suggestions": suggestions}


@transaction.atomic
def _ask(label: Label, step: int) -> SuggestionAsk:
    """Return the label's ask for the step. Creates it and the step's request if missing; there is one of each."""
    known = queries.suggestions.ask_of(label, step)
    if known is not None:
        _ask_anew(known.request)
        return known
    round_ = label.task.round
    asked = round_.after_error_config.explaining
    assert asked is not None
    request, new = SuggestionRequest.objects.get_or_create(
        trace_id=label.task.trace_id,
        step_index=step,
        defaults={"round": round_, "settings": write_config(asked), "prompt_version": version_of(asked.prompt)},
    )
    if new:
        transaction.on_commit(lambda: send_task(EXPLAIN, expires=60))
    else:
        _ask_anew(request)
    ask, _ = SuggestionAsk.objects.get_or_create(label=label, request=request)
    ask.request = request
    return ask


def _ask_anew(request: SuggestionRequest) -> None:
    """Request again what failed a while ago: the generator may be running again."""
    old = {"status": Status.FAILED, "finished_at__lt": timezone.now() - GIVEN_UP}
    anew = {"status": Status.QUEUED, "finished_at": None, "created_at": timezone.now(), "attempts": 0, "error": ""}
    if SuggestionRequest.objects.filter(pk=request.pk, **old).update(**anew, leased_until=None):
        request.refresh_from_db()
        transaction.on_commit(lambda: send_task(EXPLAIN, expires=60))


def _claim() -> SuggestionRequest | None:
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, {"token": uuid4(), "seconds": LEASE.total_seconds()})
        row = cursor.fetchone()
    return SuggestionRequest.objects.select_related("trace__problem").get(pk=row[0]) if row else None


def _run(request: SuggestionRequest, explain: Explain) -> None:
    """Do a claimed request. Failures are written on it. Only a fault of the machine is retried: until it is fixed."""
    if request.attempts > MOST_ATTEMPTS:
        _end(request, Status.FAILED, f"A worker died {MOST_ATTEMPTS} times at this step. See the workers' logs.")
        return
    step = queries.suggestions.step_to_explain(request)
    try:
        with leased(request, SuggestionLease(request)) as lease:
            written = explain(step, ExplainingConfig(**request.settings), lease.require)
            lease.require()
        _keep(request, written)
    except LeaseLost:
        logger.warning("suggestion request %s is another worker's by now", request.pk)
    except LabelingError as fault:
        _end(request, Status.FAILED, str(fault))
    except Exception as fault:  # whatever it is, it is this step's: the labeler writes their own text
        logger.exception("suggestion request %s", request.pk)
        close_old_connections()
        write_patiently(partial(_note_fault, request, fault), f"suggestion request {request.pk}")


def _note_fault(request: SuggestionRequest, fault: Exception) -> None:
    if not is_the_machines(fault):
        _end(request, Status.FAILED, reason_of(fault))
        return
    waiting = {"status": Status.QUEUED, "lease_token": None, "leased_until": Now() + timedelta(seconds=PAUSE)}
    _mine(request).update(**waiting, attempts=F("attempts") - 1, error=reason_of(fault))


@transaction.atomic
def _keep(request: SuggestionRequest, written: dict[str, list[str]]) -> None:
    """Add the texts after those from a file, in the transaction that ends the request."""
    if not _end(request, Status.DONE):
        return
    for kind, texts in written.items():
        place = {"trace": request.trace, "step_index": request.step_index, "kind": kind}
        known = Suggestion.objects.filter(**place).count()
        Suggestion.objects.bulk_create(
            Suggestion(**place, number=number, text=storable(text), request=request)
            for number, text in enumerate(texts, start=known + 1)
        )


def _end(request: SuggestionRequest, status: Status, error: str = "") -> bool:
    return bool(_mine(request).update(status=status, error=error, finished_at=timezone.now(), leased_until=None))


def _mine(request: SuggestionRequest) -> QuerySet[SuggestionRequest]:
    return SuggestionRequest.objects.filter(pk=request.pk, lease_token=request.lease_token, status=Status.RUNNING)
