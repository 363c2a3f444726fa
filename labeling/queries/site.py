"""The operator's view: workers, queues, disk, the database and its slow statements, backup, versions, faults."""

import platform
from typing import Any

import django
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from labeling.errors import PermissionDenied
from labeling.models import User, WorkerHeartbeat
from labeling.queries.installation import all_checks, all_notes
from labeling.queries.outside_checks import disks, last_backup
from labeling.queries.site_metrics import JOBS_NOW, QUEUES, of_all_jobs
from labeling.queries.workers import WORKER_SILENCE

# Statements' texts have no values in them: the extension writes $1. Other databases' statements are not shown.
SLOW = r"""
    SELECT left(regexp_replace(query, '\s+', ' ', 'g'), 300), calls, mean_exec_time, total_exec_time
    FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND calls >= 5 ORDER BY total_exec_time DESC LIMIT 10
"""
LARGEST = """
    SELECT relname, pg_total_relation_size(oid), greatest(reltuples, 0)::bigint FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 2 DESC LIMIT 8
"""
DATABASE = """
    SELECT current_setting('server_version'), pg_database_size(current_database()),
        (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
        current_setting('max_connections')::int, EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_stat_statements')
"""


def get_site(user: User) -> dict[str, Any]:
    """Return the whole page. Raises PermissionDenied for everyone but the site's administrators."""
    if not user.is_superuser:
        raise PermissionDenied("Only the site's administrators can see how it runs. Ask one of them.")
    checks = [{"name": name, "fault": fault or ""} for name, fault in all_checks()]
    return {
        "checks": checks,
        "notes": [{"name": name, "fault": note} for name, note in all_notes()],
        "workers": _workers(),
        "queues": [
            {"project": project, "round": int(number), "labels_wanted": wanted, "open_seconds": seconds}
            for project, number, wanted, seconds in _rows(QUEUES)
        ],
        "jobs": [
            {"kind": kind, "queued": queued, "running": running, "oldest_seconds": oldest, "lost": lost}
            for kind, queued, running, oldest, lost in _rows(of_all_jobs(JOBS_NOW))
        ],
        "disks": disks(),
        "database": _database(),
        "backup": last_backup(),
        "versions": {
            "stepmark": settings.BUILD,
            "python": platform.python_version(),
            "django": django.get_version(),
        },
    }


def _workers() -> list[dict[str, Any]]:
    since = timezone.now() - WORKER_SILENCE
    return [
        {
            "name": worker.name,
            "queues": worker.queues.split(","),
            "processes": worker.processes,
            "seen_at": worker.seen_at,
            "alive": worker.seen_at >= since,
        }
        for worker in WorkerHeartbeat.objects.order_by("-seen_at", "name")[:100]
    ]


def _database() -> dict[str, Any]:
    [(version, size, connections, most, has_statements)] = _rows(DATABASE)
    return {
        "version": version,
        "bytes": size,
        "connections": connections,
        "connections_most": most,
        "tables": [{"name": name, "bytes": size, "rows": rows} for name, size, rows in _rows(LARGEST)],
        "slow_statements": _slow_statements() if has_statements else None,
    }


def _slow_statements() -> list[dict[str, Any]] | None:
    """Return the statements that took most time in total; None if the server was started without pg_stat_statements."""
    try:
        with transaction.atomic():
            rows = _rows(SLOW)
    except DatabaseError:
        return None
    return [{"text": text, "calls": calls, "mean_ms": mean, "total_ms": total} for text, calls, mean, total in rows]


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()
