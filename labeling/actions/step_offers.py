"""The completions of a prefix: requested, leased by a worker, and written as they arrive, before anybody sees them.

Everything here may run twice, or stop at any line: what a worker was waiting for when it died is requested again,
with the same seeds, by whoever finds its lease ended.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from labeling import queries
from labeling.actions.jobs import Lease, LeaseLost, send_task, wake_worker
from labeling.generation.next_step import completion_of, holds_answer
from labeling.generation.sampling import Sample
from labeling.models import Round, StepOffer, Trace
from labeling.queries.gold_paths import gold_step

COMPLETE = "worker.complete_steps"
LEASE = timedelta(seconds=15)  # short, since somebody waits: a dead worker is replaced soon
WAKE_AGAIN = timedelta(seconds=5)
LONGEST_PAUSE = 60.0  # seconds before a server that gave nothing is asked again
NOBODY_WAITS = timedelta(minutes=10)  # after the last time a labeler looked, or a worker was woken for it
MOST_ATTEMPTS = 1_000  # counted, so that the column never overflows
Status = StepOffer.Status
# What a labeler is looking at comes first, then what is likely to be next. Offers that nobody waits for any more are
# left out: those of a generator that is gone would otherwise hold up all others. Looking at one again renews it.
CLAIM = f"""
    UPDATE labeling_stepoffer SET status = 'running', lease_token = %(token)s,
        attempts = least(attempts + 1, {MOST_ATTEMPTS}),
        leased_until = now() + make_interval(secs => %(seconds)s)
    WHERE id = (
        SELECT id FROM labeling_stepoffer
        WHERE status IN ('queued', 'running') AND (leased_until IS NULL OR leased_until < now())
            AND woken_at > now() - make_interval(secs => %(waited)s)
        ORDER BY wanted DESC, asked_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id
"""
RENEW = """
    UPDATE {table} SET leased_until = now() + make_interval(secs => %s), {progress}
    WHERE id = %s AND lease_token = %s AND status = 'running' RETURNING false
"""


class OfferLease(Lease):
    """A short lease of an offer. Nobody cancels one."""

    renew = RENEW
    length = LEASE


def ask_for(round_: Round, trace: Trace, prefix: Sequence[str], *, wanted: int) -> StepOffer:
    """Request at least this many completions of the prefix. Existing ones stay."""
    key = queries.paths.prefix_key(trace, prefix)
    config = round_.path_config
    offer, made = StepOffer.objects.get_or_create(
        round=round_,
        problem_id=trace.problem_id,
        prefix_key=key,
        defaults={"prefix": list(prefix), "wanted": wanted},
    )
    if config.generator is None:
        most = max(wanted, config.completions)
        return _recorded(offer, trace, most, config.seed) if made or offer.wanted < most else offer
    if made:
        wake_worker(COMPLETE, offer.pk)
    elif offer.wanted < wanted:
        now = timezone.now()
        more = StepOffer.objects.filter(pk=offer.pk, wanted__lt=wanted)
        if more.update(wanted=wanted, asked_at=now, woken_at=now):
            StepOffer.objects.filter(pk=offer.pk, status=Status.DONE).update(status=Status.QUEUED)
            wake_worker(COMPLETE, offer.pk)
        offer.refresh_from_db()
    return offer


def ask_ahead(round_: Round, trace: Trace, offer: StepOffer) -> None:
    """Request the first completion of the prefix that is likely next: the one after the completion shown first."""
    config = round_.path_config
    given = trace.sampling.get(queries.paths.GIVEN, 0)
    if config.generator is None or not offer.texts or holds_answer(offer.texts[0]):
        return
    if len(offer.prefix) + 1 - given < config.step_cap:
        ask_for(round_, trace, [*offer.prefix, offer.texts[0]], wanted=1)


def wake_again(offer: StepOffer) -> None:
    """Wake another worker in case a message was lost or a worker died, but not each time a labeler looks."""
    now = timezone.now()
    free = Q(leased_until=None) | Q(leased_until__lt=Now())
    waiting = StepOffer.objects.filter(free, pk=offer.pk, status__in=[Status.QUEUED, Status.RUNNING])
    if waiting.filter(woken_at__lt=now - WAKE_AGAIN).update(woken_at=now):
        wake_worker(COMPLETE, offer.pk)


def sweep_offers() -> int:
    """Wake a worker if offers were left. Returns how many are left that somebody has waited for lately."""
    now = timezone.now()
    free = Q(leased_until=None) | Q(leased_until__lt=Now())
    lost = Q(woken_at__lt=now - WAKE_AGAIN, woken_at__gt=now - NOBODY_WAITS)
    left = StepOffer.objects.filter(free, lost, status__in=[Status.QUEUED, Status.RUNNING])
    count = left.count()
    if count:
        send_task(COMPLETE, 0)
    return count


def claim_offer() -> StepOffer | None:
    """Return the next free offer, leased to the caller, or None."""
    with connection.cursor() as cursor:
        waited = NOBODY_WAITS.total_seconds()
        cursor.execute(CLAIM, {"token": uuid4(), "seconds": LEASE.total_seconds(), "waited": waited})
        row = cursor.fetchone()
    return None if row is None else StepOffer.objects.select_related("round", "problem").get(pk=row[0])


@transaction.atomic
def add_completions(offer: StepOffer, samples: Sequence[Sample]) -> None:
    """Write what arrived. Raises LeaseLost, having written nothing, if another worker has the offer by now."""
    row = _mine(offer).select_for_update(no_key=True).first()
    if row is None:
        raise LeaseLost
    first = not row.texts
    known = gold_step(offer.round, offer.problem_id, offer.prefix) if first else None
    dropped: Counter[str] = Counter(row.dropped)
    for sample in samples:
        if sample.number in row.done:
            continue
        row.done.append(sample.number)
        text, why = completion_of(sample)
        if known is not None and not row.texts:  # gold takes the first one's place, and arrives at its time
            text, why = known, ""
        if why:
            dropped[why] += 1
        else:
            row.texts.append(text)
    row.dropped = dict(dropped)
    row.save(update_fields=["texts", "done", "dropped"])
    if first and row.texts and row.wanted > 1:
        trace = Trace(project_id=offer.round.project_id, problem=offer.problem)
        ask_ahead(offer.round, trace, row)


def end_offer(offer: StepOffer) -> None:
    """Mark the offer done if all wanted completions arrived; queue it again if more are wanted by now."""
    done = _mine(offer).filter(done__len__gte=F("wanted"))
    settled = {"lease_token": None, "leased_until": None, "attempts": 0, "error": ""}
    if not done.update(status=Status.DONE, **settled):
        _mine(offer).update(status=Status.QUEUED, **settled)


def note_trouble(offer: StepOffer, why: str) -> None:
    """Note that the server gave nothing. It is asked again while somebody waits, a little later each time."""
    pause = min(2.0 ** min(offer.attempts, 6), LONGEST_PAUSE)  # the power alone overflows at 1,024 attempts
    later = Now() + timedelta(seconds=pause)
    _mine(offer).update(status=Status.QUEUED, lease_token=None, leased_until=later, error=why)


def _mine(offer: StepOffer) -> QuerySet[StepOffer]:
    return StepOffer.objects.filter(pk=offer.pk, lease_token=offer.lease_token, status=Status.RUNNING)


def _recorded(offer: StepOffer, trace: Trace, most: int, seed: int) -> StepOffer:
    texts = queries.paths.recorded_texts(trace, offer.prefix, most=most, seed=seed)
    known = gold_step(offer.round, offer.problem_id, offer.prefix)
    offer.texts = texts if known is None else [known, *(text for text in texts if text != known)][:most]
    offer.done, offer.status, offer.wanted = list(range(most)), Status.DONE, most
    offer.save(update_fields=["texts", "done", "status", "wanted"])
    return offer
