"""Reads about workers: which of them serve a queue."""

from datetime import timedelta

from django.utils import timezone

from labeling.models import WorkerHeartbeat

WORKER_SILENCE = timedelta(seconds=60)


def processes_serving(queue: str) -> int:
    """How many tasks of `queue` the workers that were seen within a minute can do at once."""
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=timezone.now() - WORKER_SILENCE, queues__contains=queue)
    return sum(worker.processes for worker in alive if queue in worker.queues.split(","))
