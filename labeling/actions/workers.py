"""Heartbeats of workers."""

from django.utils import timezone

from labeling.models import WorkerHeartbeat


def record_heartbeat(name: str, queues: list[str], processes: int = 1) -> None:
    """Note that the worker `name`, which serves `queues` with so many processes, is alive now."""
    about = {"queues": ",".join(sorted(queues)), "processes": processes, "seen_at": timezone.now()}
    WorkerHeartbeat.objects.update_or_create(name=name, defaults=about)
