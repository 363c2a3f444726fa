"""Heartbeats of workers."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models.functions import Now

from labeling.models import WorkerHeartbeat


def record_heartbeat(
    name: str, queues: list[str], processes: int = 1, models_found: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Record that worker `name`, serving `queues` with this many processes, is alive and sees these models."""
    about = {"queues": ",".join(sorted(queues)), "processes": processes, "seen_at": Now()}
    about["models_found"] = list(models_found)
    WorkerHeartbeat.objects.update_or_create(name=name, defaults=about)
