"""Settings that a local installation takes from the environment it is started in (docs/operations.md)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

# Set by the launcher itself: its folder, servers, secrets and models, and plain HTTP on this machine.
OWN = frozenset(
    {
        *("ENV_FILE", "STEPMARK_ENV", "SECRET_KEY", "DATABASE_URL", "OWNER_DATABASE_URL", "BEHIND_PGBOUNCER"),
        *("REPLICA_URL", "REPLICA_LAG_SECONDS", "REDIS_URL", "DATA_DIR", "MODELS_DIR", "GENERATORS"),
        *("TRAINING_BASES", "FRONTEND_DIR", "HTTPS_ONLY"),
    }
)
GIVEN = (
    *("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "BEHIND_TLS_PROXY", "TRUSTED_PROXIES", "SITE_URL", "ALLOWANCES"),
    *("OBJECT_STORAGE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "PRM_SERVERS", "REDACTION_PATTERNS"),
    *("BODY_SECONDS", "WEB_STATEMENT_SECONDS", "WEB_IDLE_SECONDS", "UPLOAD_LIMIT_MB", "EMAIL_URL", "MAIL_FROM"),
    *("RELEASE_TARGETS", "LABEL_TARGETS", "WEBHOOK_HOSTS", "LOGIN_FAILURE_LIMIT", "OIDC_PROVIDERS", "SCIM_TOKEN"),
    *("SCIM_PROVIDER", "PASSKEYS", "RECHECK_MINUTES", "PASSWORD_LOGIN_FOR", "ADMIN_PAGES", "DEBUG", "PUBLIC_SCHEMA"),
    *("LOG_LEVEL", "LOG_FORMAT", "METRICS_TOKEN", "METRICS_NETWORKS", "OTEL_EXPORTER_OTLP_ENDPOINT", "SENTRY_DSN"),
    *("BACKUP_DIR", "STEPMARK_BUILD"),
)
BUCKET_KEY = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
)  # for some other cloud account, unless a bucket is configured
HERE = "localhost,127.0.0.1"


def given_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment's settings that the launcher does not set itself, and the secrets that they name."""
    found = {name: environment[name] for name in GIVEN if environment.get(name)}
    if "OBJECT_STORAGE" not in found:
        found = {name: value for name, value in found.items() if name not in BUCKET_KEY}
    if hosts := found.get("ALLOWED_HOSTS"):
        found["ALLOWED_HOSTS"] = f"{HERE},{hosts}"
    named = [name for value in found.values() for name in _variables(_read(value))]
    return found | {name: environment[name] for name in named if name in environment and name not in OWN}


def _read(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return None


def _variables(value: Any) -> Iterator[str]:
    """Yield the names given as `key_env`, `token_env` and `secret_env`, at any depth."""
    if isinstance(value, dict):
        yield from (str(one) for name, one in value.items() if name.endswith("_env"))
        for inside in value.values():
            yield from _variables(inside)
