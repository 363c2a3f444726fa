"""What is wrong with this installation and how to fix it, for `manage.py doctor` and the operator's page."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, connection
from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now
from redis.exceptions import RedisError

from annotation_app.postgres.migrations_left import migrations_left
from annotation_app.postgres.replica import has_replica, look_at_replica, replica_state
from annotation_app.postgres.roles import owner_among_us
from annotation_app.postgres.upgrades import reasons_to_stop
from labeling.configs.stages import STAGES, WORKING
from labeling.models import Round, StepScorer, WorkerHeartbeat
from labeling.models.jobs import Job
from labeling.queries import outside_checks
from labeling.queries.job_kinds import WORDS, kinds_on
from labeling.queries.long_waits import long_wait_fault
from labeling.queries.sign_in import scim_provider
from labeling.queries.workers import WORKER_SILENCE, processes_serving

ONE_ROLE = (
    "{} owns the tables, so an attacker who takes over the site could alter them and the audit log. Name this role"
    " only in OWNER_DATABASE_URL, which migrate uses, and another role in DATABASE_URL."
)
ONE_ADDRESS = (
    "BEHIND_TLS_PROXY is off. If there is a proxy, all logins seem to come from one address, and {} failures for a name"
    " lock that person out everywhere."
)
# Web itself speaks no TLS, so both faults are certain. A request's headers prove nothing: anybody may send them.
EVERYTHING_REDIRECTED = (
    "HTTPS_ONLY is on, but web has no TLS of its own and BEHIND_TLS_PROXY is off. Web does not trust a proxy that says"
    " a request came by HTTPS, so it redirects every page to HTTPS forever. Set BEHIND_TLS_PROXY=true if the proxy sets"
    " X-Forwarded-Proto and X-Forwarded-For itself. Without a proxy, set HTTPS_ONLY=false."
)
PROXY_NOT_BELIEVED = (
    "SITE_URL is https, so a proxy ends TLS, but BEHIND_TLS_PROXY is off. Writes are refused as coming from"
    " another site, and all requests seem to come from the proxy's address. Set BEHIND_TLS_PROXY=true if the proxy"
    " sets X-Forwarded-Proto and X-Forwarded-For itself."
)

NO_PROVIDER = (
    "OIDC_PROVIDERS names several providers ({}), but SCIM_PROVIDER names none of them, so groups from SCIM give nobody"
    " a role. Set SCIM_PROVIDER to the provider whose roles these groups should give."
)


def all_checks() -> Iterator[tuple[str, str | None]]:
    """Yield pairs of (what was checked, a message about the fault or None)."""
    database = database_fault()
    yield "database", database
    yield "broker", broker_fault()
    if database is None:
        if has_replica():
            yield "replica", replica_fault()
        migrations = migrations_fault()
        yield "migrations", migrations
        if migrations is None:
            yield "worker", worker_fault()
            yield "worker of the queue gpu", gpu_fault()
            yield "waiting jobs", long_wait_fault()
            yield from outside_checks.outside_faults()
    yield "secret key", secret_fault()
    yield "debug", debug_fault()
    yield "hosts", hosts_fault()
    yield "proxy", proxy_fault()
    yield "page", page_fault()
    yield from file_checks()


def all_notes() -> Iterator[tuple[str, str]]:
    """Yield what works but is worth knowing: (what was checked, the note)."""
    if migrations_answered() and (role := owner_among_us(connection)):
        yield "database role", ONE_ROLE.format(role)
    if migrations_answered() and (missing := outside_checks.backup_note()):
        yield "backup", missing
    if has_replica() and replica_state().serves:
        yield (
            "replica",
            f"Figures, their tables and rows of exports are read from it. It is {replica_state().lag:.1f} s behind.",
        )
    if settings.PRODUCTION and not settings.PROXIES and proxy_fault() is None:
        yield "lock-out", ONE_ADDRESS.format(settings.AXES_FAILURE_LIMIT)
    if settings.SCIM_TOKEN and settings.OIDC_PROVIDERS and scim_provider() is None:
        yield "groups by SCIM", NO_PROVIDER.format(", ".join(sorted(settings.OIDC_PROVIDERS)))


def migrations_answered() -> bool:
    """Return whether there are tables to query."""
    return database_fault() is None and migrations_fault() is None


def database_fault() -> str | None:
    """Check that Postgres answers and has a usable version and encoding."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('server_version_num')::int, current_setting('server_encoding')")
            version, encoding = cursor.fetchone()
    except DatabaseError as fault:
        return f"Postgres does not answer ({first_line(fault)}). Is it running, and is DATABASE_URL right?"
    if version < 140000 or encoding != "UTF8":
        return f"Postgres {version // 10000} with encoding {encoding} does not work. Use version 14 or newer with UTF8."
    return None


def replica_fault() -> str | None:
    """Check that the standby of REPLICA_URL serves the reads that may lag."""
    fault = look_at_replica().fault
    return f"{fault}. Until this is fixed, all reads go to the primary. Is REPLICA_URL right?" if fault else None


def broker_fault() -> str | None:
    """Check that Valkey answers and keeps what it is given."""
    try:
        caches["valkey"].set("doctor", "was here", 5)
        kept = caches["valkey"].get("doctor") == "was here"
    except (RedisError, OSError) as fault:
        return f"Valkey does not answer ({first_line(fault)}). Is it running, and is REDIS_URL right?"
    if not kept:
        return "Valkey drops new values at once. Set its maxmemory-policy to noeviction."
    return outside_checks.policy_fault()


def migrations_fault() -> str | None:
    """Check that the tables are those of this version."""
    missing = migrations_left(connection)
    if not missing:
        return None
    stop = next(reasons_to_stop(missing), None)
    order = f"{stop[0]} {stop[1]}, so stop web, workers and beat first" if stop else "Web and workers may keep running"
    return f"{len(missing)} are not applied. Run: python manage.py migrate. {order}."


def worker_fault() -> str | None:
    """Check that a worker for the cpu queue reported within the last minute that it is alive."""
    seen = WorkerHeartbeat.objects.filter(queues__contains="cpu").order_by("-seen_at")
    newest = seen.annotate(silence=ExpressionWrapper(Now() - F("seen_at"), DurationField())).first()
    start = "Start one: python -m worker --queues cpu"
    if newest is None:
        return f"none was ever seen, so imports and exports wait. {start}"
    if newest.silence > WORKER_SILENCE:
        return f"none is alive; {newest.name} was last seen {newest.silence.total_seconds():.0f} s ago. {start}"
    return None


def gpu_fault() -> str | None:
    """Check whether work is waiting that only a worker of the queue gpu can do."""
    if processes_serving("gpu"):
        return None
    start = "Start one where torch is installed: python -m worker --queues gpu --concurrency 1"
    stages = [stage.name for stage in STAGES.values() if stage.queue == "gpu"]
    rounds = Round.objects.filter(status__in=WORKING, planned__in=stages).select_related("project")
    waiting = [f"round {round_.number} of {round_.project.slug}" for round_ in rounds[:3]]
    for model in kinds_on("gpu"):
        rows: Any = model._default_manager
        undone = rows.filter(status__in=[Job.Status.QUEUED, Job.Status.RUNNING])
        waiting += [f"the {WORDS[model]} of {job.project.slug}" for job in undone.select_related("project")[:3]]
    waiting += [
        f"the check of the PRM {prm.name}" for prm in StepScorer.objects.filter(status=StepScorer.Status.UNCHECKED)[:3]
    ]
    return f"none is alive, and {', '.join(waiting)} waits for it. {start}" if waiting else None


def secret_fault() -> str | None:
    """Check that the secret is one nobody else knows (with a missing or weak one, nothing starts)."""
    known = any(part in settings.SECRET_KEY for part in ("only-for-tests", "only-for-tools", "example"))
    return "SECRET_KEY is the one in the public source code. Make your own." if known else None


def debug_fault() -> str | None:
    """Check that visitors cannot see tracebacks."""
    return "DEBUG is on, so visitors see tracebacks and settings. Unset it." if settings.DEBUG else None


def hosts_fault() -> str | None:
    """Check that the site does not answer to any name."""
    wild = [host for host in settings.ALLOWED_HOSTS if "*" in host or host.startswith(".")]
    return f"ALLOWED_HOSTS has wildcards ({', '.join(wild)}). Name each host." if wild else None


def proxy_fault() -> str | None:
    """Check whether visitors come through a proxy that ends TLS and is not trusted."""
    if settings.PROXIES:
        return None
    if settings.SECURE_SSL_REDIRECT:
        return EVERYTHING_REDIRECTED
    trusted = any(origin.startswith("https://") for origin in settings.CSRF_TRUSTED_ORIGINS)
    return PROXY_NOT_BELIEVED if settings.SITE_URL.startswith("https://") and not trusted else None


def page_fault() -> str | None:
    """Check that there is a page to serve."""
    built = (settings.FRONTEND_DIR / "index.html").is_file()
    return None if built else f"{settings.FRONTEND_DIR} has no index.html. Run: make frontend"


def file_checks() -> Iterator[tuple[str, str | None]]:
    """Check that files with secrets or people's data are closed to other users of the machine."""
    var = settings.BASE_DIR / "var"
    secret = [
        settings.ENV_FILE,
        *var.glob("*/env"),
        *var.glob("*/secrets.json"),
        *var.glob("*/logins.json"),
        *var.glob("*/logs"),
    ]
    for path in (settings.DATA_DIR, settings.ENV_FILE, *(path for name in secret for path in var.glob(f"*/{name}"))):
        if path.is_dir() or path.is_file():
            yield f"file mode of {path}", open_fault(path, "700" if path.is_dir() else "600")


def open_fault(path: Path, mode: str) -> str | None:
    """Check that other users cannot read or write `path`."""
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return f"other users of this machine can access it. Run: chmod {mode} {path}"
    return None


def first_line(fault: Exception) -> str:
    """Return the first line of a driver's message."""
    return (str(fault).strip().splitlines() or [type(fault).__name__])[0]
