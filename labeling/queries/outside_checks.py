"""Checks, for `doctor`, of what this installation needs besides its database: Valkey, a bucket, sign-in, backups."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.files.storage import default_storage
from redis.exceptions import RedisError

from annotation_app.object_storage import in_bucket
from annotation_app.sign_in_providers import SignInProvider
from labeling.errors import ProviderFailed
from labeling.models import AuditEvent, Project

NO_BACKUP = "none was ever made. Run: make backup, and schedule it every night."


def outside_faults() -> Iterator[tuple[str, str | None]]:
    """Yield pairs of (what was checked, a message about the fault or None). The database must be up and migrated."""
    if in_bucket():
        yield "bucket", bucket_fault()
    for provider in settings.OIDC_PROVIDERS.values():
        yield f"sign-in provider {provider.name}", provider_fault(provider)


def policy_fault() -> str | None:
    """Return a message if Valkey, which has answered, drops values once it is full; else None."""
    try:
        policy = caches["valkey"]._cache.get_client().info("memory").get("maxmemory_policy", "noeviction")  # type: ignore[attr-defined]  # Django's own way to its client
    except (RedisError, OSError):  # some hosted services do not report it
        return None
    if policy == "noeviction":
        return None
    return f"Its maxmemory-policy is {policy}: once full, it drops messages and counts. Set it to noeviction."


def bucket_fault() -> str | None:
    """Return a message if the bucket of OBJECT_STORAGE does not exist or refuses access; else None."""
    from botocore.config import Config  # noqa: PLC0415  (only where there is a bucket)
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    storage: Any = default_storage
    soon = storage.client_config.merge(Config(connect_timeout=3, read_timeout=3, retries={"max_attempts": 0}))
    client = storage._create_session().client(
        "s3", region_name=storage.region_name, endpoint_url=storage.endpoint_url, verify=storage.verify, config=soon
    )
    try:
        client.head_bucket(Bucket=storage.bucket_name)
    except (BotoCoreError, ClientError) as fault:
        return (
            f"{storage.bucket_name} cannot be used ({fault}). Does it exist, and are OBJECT_STORAGE and its key right?"
        )
    return None


def provider_fault(provider: SignInProvider) -> str | None:
    """Return a message if the provider's secret is missing, its issuer differs, or its roles name unknown projects."""
    from annotation_app.provider_requests import fetch  # noqa: PLC0415  (HTTP is loaded where there is a provider)

    if provider.secret_env and not provider.secret:
        return f"The variable {provider.secret_env}, which should hold its secret, is not set. Web needs it."
    try:
        calls_itself = fetch(provider.discovery).get("issuer")
    except ProviderFailed as fault:
        return f"{provider.discovery} cannot be fetched ({fault.__cause__ or 'lately'}). Is the issuer right?"
    if calls_itself != provider.issuer:
        return f"It calls itself {calls_itself}. Set exactly that as its issuer."
    named = {slug for roles in provider.roles.values() for slug in roles}
    missing = named - set(Project.objects.filter(slug__in=named).values_list("slug", flat=True))
    if not missing:
        return None
    return f"Its roles name projects that do not exist: {', '.join(sorted(missing))}. Their groups give nobody a role."


def backup_note() -> str | None:
    """Return a message if there is no backup to restore in production, where people's work is at stake; else None."""
    return NO_BACKUP if settings.PRODUCTION and last_backup()["at"] is None else None


def disks() -> list[dict[str, Any]]:
    """Return the disks of this web process' machine. Two folders on one disk are two rows, each with its name."""
    folders = {"DATA_DIR": settings.DATA_DIR, "MODELS_DIR": settings.MODELS_DIR}
    rows = []
    for name, folder in folders.items():
        if folder.is_dir():
            usage = shutil.disk_usage(folder)
            rows.append({"name": name, "path": str(folder), "free": usage.free, "total": usage.total})
    return rows


def last_backup() -> dict[str, Any]:
    """Return the newest backup: one by `manage.py backup`, noted in the audit log (restores are too), or a dump in
    BACKUP_DIR.
    """
    noted = AuditEvent.objects.filter(project=None, action__in=("backup.make", "backup.restore")).order_by("-pk")
    found: list[tuple[Any, ...]] = []
    if last := noted.values_list("at", "detail").first():
        at, about = last
        made_at = datetime.fromisoformat(about["made_at"]) if "made_at" in about else at
        found.append((made_at, about["bytes"], about["folder"]))
    folder = Path(settings.BACKUP_DIR) if settings.BACKUP_DIR else None
    for dump in folder.glob("*.dump") if folder and folder.is_dir() else ():
        stat = dump.stat()
        found.append((datetime.fromtimestamp(stat.st_mtime, UTC), stat.st_size, str(folder)))
    at, size, where = max(found, default=(None, None, settings.BACKUP_DIR))
    return {"folder": where, "at": at, "bytes": size}
