"""How runs of machine label sources end: by their chunks, or because a person or the budget stops them."""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from labeling.models import SourceChunk, SourceRun

TO_DO = (SourceChunk.Status.QUEUED, SourceChunk.Status.RUNNING)


def stop_run(run: SourceRun, status: str, error: str = "") -> bool:
    """End a run. Returns False if it was already over."""
    running = SourceRun.objects.filter(pk=run.pk, status=SourceRun.Status.RUNNING)
    return bool(running.update(status=status, error=error, finished_at=timezone.now()))


@transaction.atomic
def settle_run(run_id: int) -> bool:
    """End a run by all its chunks: failed as soon as one has failed, else once none is left to do. Returns whether it
    ended.

    A chunk's own ending is not enough: its worker may have died before it told the run.
    """
    run = SourceRun.objects.select_for_update(no_key=True).filter(pk=run_id, status=SourceRun.Status.RUNNING).first()
    if run is None:
        return False
    chunks = SourceChunk.objects.filter(run=run).order_by("finished_at", "pk")
    if (failed := chunks.filter(status=SourceChunk.Status.FAILED).first()) is not None:
        return stop_run(run, SourceRun.Status.FAILED, failed.error)
    if chunks.filter(status__in=TO_DO).exists():
        return False
    if (cancelled := chunks.filter(status=SourceChunk.Status.CANCELLED).first()) is not None:
        return stop_run(run, SourceRun.Status.CANCELLED, cancelled.error)
    return stop_run(run, SourceRun.Status.SUCCEEDED)


def settle_runs() -> int:
    """End the runs whose workers died after the last chunk and before the run. Returns the number of runs."""
    to_do = SourceChunk.objects.filter(run=OuterRef("pk"), status__in=TO_DO)
    left = SourceRun.objects.filter(~Exists(to_do), status=SourceRun.Status.RUNNING)
    return sum(settle_run(pk) for pk in left.values_list("pk", flat=True))
