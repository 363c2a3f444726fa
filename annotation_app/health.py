"""What a load balancer asks: is the process alive (/healthz), and can it serve (/readyz)."""

from collections.abc import Callable

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from redis.exceptions import RedisError


def answer_checks(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware, the outermost: a load balancer asks by address, not by our host name, and without HTTPS."""
    checks = {"/healthz": healthz, "/readyz": readyz}

    def answer(request: HttpRequest) -> HttpResponseBase:
        return checks.get(request.path, get_response)(request)

    return answer


def healthz(request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers; asks nobody else."""
    return JsonResponse({"status": "alive"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when Postgres and the broker answer and all migrations are applied, else 503 with the reasons."""
    reasons = database_faults() + broker_faults()
    if reasons:
        return JsonResponse({"status": "not_ready", "reasons": reasons}, status=503)
    return JsonResponse({"status": "ready", "reasons": []})


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
        cache.get("readyz")
    except (RedisError, OSError) as fault:
        return [f"The broker does not answer: {fault}"]
    return []
