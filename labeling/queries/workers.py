"""Reads about workers: which of them serve a queue, and which models they see."""

from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from labeling.models import WorkerHeartbeat

WORKER_SILENCE = timedelta(seconds=60)


def processes_serving(queue: str) -> int:
    """Return how many tasks of `queue` the workers seen within the last minute can do at once."""
    return sum(worker.processes for worker in _serving(queue))


def models_found() -> list[dict[str, Any]]:
    """Return the folders under MODELS_DIR that every living worker of the queue gpu sees, with what each
    seems to be.

    A folder that only some of them have is left out: a round would fail at the first worker without it.
    """
    seen = [{one["folder"]: one for one in worker.models_found} for worker in _serving("gpu")]
    everywhere = set.intersection(*(set(one) for one in seen)) if seen else set()
    return [about for folder, about in (seen[0] if seen else {}).items() if folder in everywhere]


def _serving(queue: str) -> list[WorkerHeartbeat]:
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=Now() - WORKER_SILENCE, queues__contains=queue)
    return [worker for worker in alive.order_by("name") if queue in worker.queues.split(",")]
