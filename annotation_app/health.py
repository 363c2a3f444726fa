"""Answers for a load balancer: whether the process is alive (/healthz), and whether it can serve requests (/readyz)."""

import logging
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, NamedTuple

from django.core.cache import caches
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from redis.exceptions import RedisError

from annotation_app.postgres.migrations_left import migrations_left

ALIVE = '{"status": "alive"}'
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}  # for both answers, which the middleware that sets these never sees
GOOD_SECONDS = 1.0
Json = dict[str, Any]
logger = logging.getLogger(__name__)


class Fault(NamedTuple):
    """What is wrong: a sentence for the caller, and what the driver said, for the log."""

    said: str
    detail: str = ""


def answer_checks(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware before the checks of host and HTTPS: a load balancer asks by address, not host name, without HTTPS."""
    checks = {"/healthz": healthz, "/readyz": readyz}

    def answer(request: HttpRequest) -> HttpResponseBase:
        return checks.get(request.path, get_response)(request)

    return answer


def healthz(request: HttpRequest) -> HttpResponse:
    """Return 200 as long as the process answers; check nothing else. In production the event loop does this itself."""
    return HttpResponse(ALIVE, content_type="application/json", headers=HEADERS)


def readyz(request: HttpRequest) -> JsonResponse:
    """Return 503 with the reasons until Postgres answers and all migrations are applied, else 200.

    Without the broker it is also 200, and the reasons say so: people can work, and a load balancer that took all web
    processes away would keep them from it. An answer is valid for a second, whoever asks, so that strangers who ask
    endlessly keep no probe waiting.
    """
    status, said = _readiness.now()
    return JsonResponse(said, status=status, headers=HEADERS)


class Readiness:
    """The last result, as long as it is valid. One thread looks; the others wait for its result."""

    def __init__(self) -> None:
        self.looking = Lock()
        self.good_until = 0.0
        self.found: tuple[int, Json] = (503, {})
        self.migrated = False  # checked until it is true, and again after Postgres was away

    def now(self) -> tuple[int, Json]:
        """Return the status of the answer and its content."""
        with self.looking:
            if time.monotonic() >= self.good_until:
                self._look()
                self.good_until = time.monotonic() + GOOD_SECONDS
            return self.found

    def _look(self) -> None:
        faults, without = self._database_faults(), broker_faults()
        status = "not_ready" if faults else "degraded" if without else "ready"
        found = 503 if faults else 200, {"status": status, "reasons": [fault.said for fault in faults + without]}
        if found != self.found and (faults or without):
            logger.warning(
                "/readyz: %s", " ".join(f"{fault.said} {fault.detail}".strip() for fault in faults + without)
            )
        self.found = found

    def _database_faults(self) -> list[Fault]:
        try:
            missing = [] if self.migrated else migrations_left(connection)
            if self.migrated:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT 1")
        except DatabaseError as fault:
            connection.close()
            self.migrated = False
            return [Fault("The database does not answer.", str(fault).strip().splitlines()[0])]
        self.migrated = not missing
        return [Fault(f"{len(missing)} migrations are not applied. Run: python manage.py migrate")] if missing else []


def broker_faults() -> list[Fault]:
    """Return the reasons why the broker cannot serve; empty if it can."""
    try:
        caches["valkey"].get("readyz")
    except (RedisError, OSError) as fault:
        return [Fault("The broker does not answer.", str(fault))]
    return []


_readiness = Readiness()
