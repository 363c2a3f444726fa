"""What a load balancer asks: is the process alive (/healthz), and can it serve (/readyz)."""

from collections.abc import Callable

from django.core.cache import caches
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from redis.exceptions import RedisError

ALIVE = '{"status": "alive"}'


def answer_checks(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware, the outermost: a load balancer asks by address, not by our host name, and without HTTPS."""
    checks = {"/healthz": healthz, "/readyz": readyz}

    def answer(request: HttpRequest) -> HttpResponseBase:
        return checks.get(request.path, get_response)(request)

    return answer


def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; asks nobody else. In production the event loop says it itself."""
    return HttpResponse(ALIVE, content_type="application/json")


def readyz(request: HttpRequest) -> JsonResponse:
    """503 with the reasons until Postgres answers and all migrations are applied, else 200.

    Also without the broker: people can work, and a load balancer that took all web processes away would keep them from
    it. The reasons then say so.
    """
    faults, without = database_faults(), broker_faults()
    status = "not_ready" if faults else "degraded" if without else "ready"
    return JsonResponse({"status": status, "reasons": faults + without}, status=503 if faults else 200)


def database_faults() -> list[str]:
    """What keeps Postgres from serving, in words; empty when it can."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as fault:
        connection.close()
        return [f"The database does not answer: {str(fault).strip().splitlines()[0]}"]
    if missing:
        return [f"{len(missing)} migrations are not applied. Run: python manage.py migrate"]
    return []


def broker_faults() -> list[str]:
    """What keeps the broker from serving, in words; empty when it can."""
    try:
        caches["valkey"].get("readyz")
    except (RedisError, OSError) as fault:
        return [f"The broker does not answer: {fault}"]
    return []
