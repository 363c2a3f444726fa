"""How long requests took. A server's web processes write to files, and the one that answers /metrics adds them up."""

import multiprocessing
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

PREFIX = f"stepmark-metrics-{os.getuid()}-"


def _own_folder() -> Path:
    """Return the server's folder of counts, created if missing, and remove those of servers that are gone.

    Raises PermissionError if somebody else created it.
    """
    server = multiprocessing.parent_process()
    pid = os.getpid() if server is None else server.pid
    parent = Path(tempfile.gettempdir())
    for old in parent.glob(f"{PREFIX}*"):
        if not Path("/proc", old.name.removeprefix(PREFIX)).exists():
            shutil.rmtree(old, ignore_errors=True)
    folder = parent / f"{PREFIX}{pid}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user. Remove it.")
    return folder


# The package decides when it is loaded whether counts are kept in memory or in files.
FOLDER = os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(_own_folder()))

from prometheus_client import CollectorRegistry, Histogram, generate_latest  # noqa: E402 (after the line above)
from prometheus_client.multiprocess import MultiProcessCollector  # noqa: E402

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = Histogram(
    "stepmark_request_seconds",
    "Seconds from a request's first middleware to its answer.",
    ["method", "route", "status"],
    buckets=BUCKETS,
    registry=None,
)


def observe(method: str, route: str, status: int, seconds: float) -> None:
    """Count one answer. `route` is a name from the URL table, never text that a user typed."""
    SECONDS.labels(method if method in METHODS else "other", route, f"{status // 100}xx").observe(seconds)


def as_text(site: Any) -> bytes:
    """Return the counts of all processes, and what `site` collects."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=FOLDER)
    registry.register(site)
    return generate_latest(registry)
