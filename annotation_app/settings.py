"""Every setting, read from the environment (and the file ENV_FILE). `.env.example` explains the names."""

import os
import tomllib
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from annotation_app.generators import read_generators
from annotation_app.label_targets import read_label_targets
from annotation_app.metrics_guard import check_token, read_networks
from annotation_app.object_storage import storages
from annotation_app.prm_servers import read_prm_servers
from annotation_app.redaction_patterns import read_patterns
from annotation_app.release_targets import read_release_targets
from annotation_app.sign_in_providers import read_sign_in_providers
from annotation_app.training_bases import read_bases
from labeling.configs.allowances import read_allowances
from labeling.configs.reading import ConfigFault

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION: str = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
env = environ.Env()
ENV_FILE = Path(env.str("ENV_FILE", str(BASE_DIR / ".env")))
env.read_env(ENV_FILE)
env.ENVIRON = {name: value for name, value in os.environ.items() if value}  # an empty variable counts as none

PRODUCTION = env.str("STEPMARK_ENV", "production") == "production"
DEBUG = env.bool("DEBUG", False)
SECRET_KEY = env.str("SECRET_KEY", "")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[] if PRODUCTION else ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
HTTPS_ONLY = env.bool("HTTPS_ONLY", PRODUCTION)
DATA_DIR = Path(env.str("DATA_DIR", str(BASE_DIR / "var" / "data")))  # uploads and exports, one tree
MODELS_DIR = Path(env.str("MODELS_DIR", str(BASE_DIR / "var" / "models")))  # checkpoints; workers read them
GENERATORS = read_generators(env.str("GENERATORS", "{}"))  # the servers that write candidates, by name
PRM_SERVERS = read_prm_servers(env.str("PRM_SERVERS", "{}"))  # the servers whose PRMs may be connected, by name
TRAINING_BASES = read_bases(env.str("TRAINING_BASES", "{}"))  # what a PRM can be trained from: name -> folder
RELEASE_TARGETS = read_release_targets(env.str("RELEASE_TARGETS", "{}"))  # where releases may be pushed, by name
LABEL_TARGETS = read_label_targets(env.str("LABEL_TARGETS", "{}"))  # where labels of runs may be sent, by name
REDACTION_PATTERNS = read_patterns(env.str("REDACTION_PATTERNS", "[]"))  # removed from runs along with known patterns
FRONTEND_DIR = Path(env.str("FRONTEND_DIR", str(BASE_DIR / "frontend" / "dist")))
PUBLIC_SCHEMA = env.bool("PUBLIC_SCHEMA", not PRODUCTION)  # /api/schema is readable without signing in
BACKUP_DIR = env.str("BACKUP_DIR", "")  # where the operator's page looks for the last backup
METRICS_TOKEN = check_token(
    env.str("METRICS_TOKEN", "")
)  # lets its bearer read /metrics; without this and METRICS_NETWORKS nobody may
METRICS_NETWORKS = read_networks(env.list("METRICS_NETWORKS", default=[]))
TRACES_TO = env.str("OTEL_EXPORTER_OTLP_ENDPOINT", "")  # an OpenTelemetry collector; its SDK reads the variable, too
SENTRY_DSN = env.str("SENTRY_DSN", "")
BUILD = env.str("STEPMARK_BUILD", "") or VERSION


def refuse_unsafe_production() -> None:
    """Stop before the first request rather than run open to the world.

    Raises ImproperlyConfigured for the first fault found, with how to fix it.
    """
    weak = len(SECRET_KEY) < 40 or len(set(SECRET_KEY)) < 10 or "change-me" in SECRET_KEY.lower()
    if weak or SECRET_KEY.startswith("django-insecure"):
        raise ImproperlyConfigured(
            "SECRET_KEY is missing, short or a known default. Set it to at least 40 random characters: "
            "python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    if not PRODUCTION:
        return
    if DEBUG:
        raise ImproperlyConfigured("DEBUG shows secrets to visitors. Unset it, or set STEPMARK_ENV=development.")
    if not ALLOWED_HOSTS or any("*" in host or host.startswith(".") for host in ALLOWED_HOSTS):
        raise ImproperlyConfigured("ALLOWED_HOSTS must name this site's hosts, without wildcards: label.example.org")


refuse_unsafe_production()

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "axes",
    "labeling",
]
MIDDLEWARE = [
    "annotation_app.request_ids.name_requests",
    "annotation_app.metrics.answer_metrics",
    "annotation_app.health.answer_checks",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "annotation_app.frontend.content_security_policy",
    "annotation_app.json_api.keep_private",
    "annotation_app.admin_pages.guard_admin_pages",
    "labeling.api.views.label_drafts.answer_drafts",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "annotation_app.admin_pages.ask_who_it_is",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
ROOT_URLCONF = "annotation_app.urls"
APPEND_SLASH = False

# One connection per server thread, kept open; the check before a request restores it after a restart of Postgres.
DATABASES = {"default": env.db_url("DATABASE_URL")}
DATABASES["default"] |= {"ENGINE": "annotation_app.postgres", "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}
DATABASES["default"].setdefault("OPTIONS", {})["connect_timeout"] = 5
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = env.bool("BEHIND_PGBOUNCER", False)
# A hot standby for reads that may lag (annotation_app/postgres/replica.py). Its connections only read, even should it
# be promoted. If it hangs, reads go to the primary after the timeouts below.
REPLICA_LAG_SECONDS = env.int("REPLICA_LAG_SECONDS", 10)
if env.str("REPLICA_URL", ""):
    DATABASES["replica"] = env.db_url("REPLICA_URL")
    DATABASES["replica"] |= {"ENGINE": "annotation_app.postgres", "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}
    DATABASES["replica"].setdefault("OPTIONS", {})
    DATABASES["replica"]["OPTIONS"] |= {
        "connect_timeout": 2,
        "tcp_user_timeout": 5_000,
        "options": "-c default_transaction_read_only=on",
    }
# The role that may change tables, if it is not that of DATABASE_URL: migrate, backup and restore connect with it.
OWNER_DATABASE = env.db_url("OWNER_DATABASE_URL", default="") if env.str("OWNER_DATABASE_URL", "") else None

REDIS_URL = env.str("REDIS_URL")
# How long a request waits at most if Valkey hangs; it then continues without it (annotation_app/caches.py).
VALKEY_PATIENCE = {"socket_timeout": 0.3, "socket_connect_timeout": 0.3}
CACHES = {
    name: {"BACKEND": backend, "LOCATION": REDIS_URL, "KEY_PREFIX": prefix, "OPTIONS": VALKEY_PATIENCE}
    for name, backend, prefix in (
        ("default", "annotation_app.caches.CountCache", "stepmark"),
        ("sessions", "annotation_app.caches.SessionCache", "stepmark-session"),
        ("valkey", "annotation_app.caches.ValkeyCache", "stepmark-itself"),  # raises: to see whether it is alive
    )
}

# People. The API asks only Postgres for session and person, in one statement (labeling/queries/sessions.py); the cache
# serves the pages under /admin.
AUTH_USER_MODEL = "labeling.User"
SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"
SESSION_CACHE_ALIAS = "sessions"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS_ONLY
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "annotation_app.password_login.NamedPeopleAlone",
    "annotation_app.password_login.WithSecondFactor",
    "django.contrib.auth.backends.ModelBackend",
]
OIDC_PROVIDERS = read_sign_in_providers(env.str("OIDC_PROVIDERS", "{}"))  # where people may sign in, by name
PASSWORD_LOGIN_FOR = frozenset(env.list("PASSWORD_LOGIN_FOR", default=[]))  # empty: everybody may
if PASSWORD_LOGIN_FOR and not OIDC_PROVIDERS:
    raise ImproperlyConfigured("PASSWORD_LOGIN_FOR without OIDC_PROVIDERS would lock out everyone else.")
PASSKEYS = env.bool("PASSKEYS", False)  # people may create passkeys; they are bound to the site's host name
RECHECK_MINUTES = env.int("RECHECK_MINUTES", 30 if PRODUCTION else 0)  # 0: nobody is asked again
SCIM_TOKEN = check_token(env.str("SCIM_TOKEN", ""), "SCIM_TOKEN")  # lets its bearer create and deactivate accounts
SCIM_PROVIDER = env.str("SCIM_PROVIDER", "")  # whose `roles` apply to groups of SCIM; by default the only provider's
if SCIM_PROVIDER and SCIM_PROVIDER not in OIDC_PROVIDERS:
    raise ImproperlyConfigured(f"SCIM_PROVIDER: {SCIM_PROVIDER!r} is not in OIDC_PROVIDERS: {sorted(OIDC_PROVIDERS)}.")
PASSWORD_RESET_TIMEOUT = 3600
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Name and address together: a stranger elsewhere cannot lock a labeler out.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = env.int("LOGIN_FAILURE_LIMIT", 8)
AXES_COOLOFF_TIME = 0.25  # hours
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # the time named in the refusal stays true
AXES_CLIENT_IP_CALLABLE = "labeling.client_address.counted_ip"
SILENCED_SYSTEM_CHECKS = ["axes.W002"]  # no axes middleware: labeling.actions.people.log_in answers 423 itself

ADMIN_PAGES = env.bool("ADMIN_PAGES", True)

# Transport and headers.
SECURE_SSL_REDIRECT = HTTPS_ONLY
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS_ONLY else 0
# The number of proxies in a row, each adding the address it saw to X-Forwarded-For: that many entries are trusted.
PROXIES = env.int("TRUSTED_PROXIES", 1) if env.bool("BEHIND_TLS_PROXY", False) else 0
if not 0 <= PROXIES <= 10 or (PROXIES == 0 and env.bool("BEHIND_TLS_PROXY", False)):
    raise ImproperlyConfigured("TRUSTED_PROXIES must be the number of proxies in front of the site: 1 to 10.")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXIES else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# What our pages never ask a browser for.
PERMISSIONS_POLICY = ", ".join(f"{name}=()" for name in ("camera", "geolocation", "microphone", "payment", "usb"))
# KaTeX and Mantine position things with inline styles; scripts only ever come from our own files.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)

# Requests. Files are accepted by the views that expect one (labeling.api.uploads) and streamed to DATA_DIR.
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 2**20
FILE_UPLOAD_HANDLERS = ["labeling.api.uploads.NoFiles"]
BODY_SECONDS = env.int("BODY_SECONDS", 10)  # within which each 64 KiB of a body must arrive
WEB_STATEMENT_SECONDS = env.int("WEB_STATEMENT_SECONDS", 30)  # the longest a page's or call's statement may run
WEB_IDLE_SECONDS = env.int("WEB_IDLE_SECONDS", 300)  # after which Postgres closes a connection that no page used
UPLOAD_LIMIT = env.int("UPLOAD_LIMIT_MB", 2048) * 2**20
FILE_UPLOAD_TEMP_DIR = str(DATA_DIR / "uploads")
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
(DATA_DIR / "uploads").mkdir(mode=0o700, exist_ok=True)
BUCKET_KEY = {"access_key": env.str("AWS_ACCESS_KEY_ID", ""), "secret_key": env.str("AWS_SECRET_ACCESS_KEY", "")}
STORAGES = storages(env.str("OBJECT_STORAGE", ""), DATA_DIR, BUCKET_KEY)  # where finished files are kept

# The built page is at the root of the site; its hashed files never change, everything else is requested again.
STATIC_URL = "/static/"
WHITENOISE_ROOT = FRONTEND_DIR if FRONTEND_DIR.is_dir() else None
WHITENOISE_INDEX_FILE = True
WHITENOISE_MAX_AGE = 0
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/assets/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

# Outgoing messages: mail (EMAIL_URL as smtp+tls://user:password@host:587; without it none is written) and webhooks,
# which may only point at these hosts.
EMAIL_URL = env.str("EMAIL_URL", "")
MAIL = bool(EMAIL_URL)
vars().update(env.email_url_config(EMAIL_URL or "dummymail://"))
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", "stepmark@localhost")
SITE_URL = env.str("SITE_URL", "").rstrip("/")  # https://label.example.org: for links in mail and webhooks
WEBHOOK_HOSTS = [host.strip().lower() for host in env.list("WEBHOOK_HOSTS", default=[])]

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

try:
    ALLOWANCES = read_allowances(env.str("ALLOWANCES", "{}"))  # what one person may do, by name
except ConfigFault as fault:
    raise ImproperlyConfigured(str(fault)) from fault

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "labeling.api.authentication.TokenAuthentication",
        "labeling.api.authentication.BrowserSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["annotation_app.json_api.FastJSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "annotation_app.json_api.JSONAlways",
    "DEFAULT_PARSER_CLASSES": ["annotation_app.json_api.FastJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "labeling.api.schema.StepmarkSchema",
    "EXCEPTION_HANDLER": "annotation_app.exception_handler.answer_for",
    "NUM_PROXIES": PROXIES,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Stepmark",
    "DESCRIPTION": "Label the steps of model-written solutions.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["labeling.api.schema.MayReadSchema"],
    "DEFAULT_GENERATOR_CLASS": "labeling.api.schema.OneDocument",
    # Input shapes (…In) and output shapes (…Out) are classes of their own, so each has one component.
    "COMPONENT_SPLIT_REQUEST": False,
    "COMPONENT_SPLIT_PATCH": False,
    "PREPROCESSING_HOOKS": ["labeling.api.schema.one_view_a_method"],
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "Role": "labeling.api.schema.ROLE",
        "ProjectStatus": "labeling.api.schema.PROJECT_STATUS",
        "RoundStatus": "labeling.api.schema.ROUND_STATUS",
        "LabelStatus": "labeling.api.schema.LABEL_STATUS",
        "JobStatus": "labeling.api.schema.JOB_STATUS",
        "TaskKind": "labeling.api.schema.TASK_KIND",
        "TaskState": "labeling.api.schema.TASK_STATE",
        "YesNo": "labeling.api.schema.YES_NO",
        "ExportAgreement": "labeling.api.schema.EXPORT_AGREEMENT",
        "LabelAgreement": "labeling.api.schema.LABEL_AGREEMENT",
        "LabelChangeKind": "labeling.api.schema.LABEL_CHANGE_KIND",
        "PaceChange": "labeling.api.schema.PACE_CHANGE",
        "RoundFigureName": "labeling.api.schema.ROUND_FIGURE_NAME",
        "RoundFigureGroup": "labeling.api.schema.ROUND_FIGURE_GROUP",
        "Outcome": "labeling.api.schema.OUTCOME",
        "Rating": "labeling.api.schema.RATING",
        "InvitationState": "labeling.api.schema.INVITATION_STATE",
        "FinishReason": "labeling.api.schema.FINISH_REASON",
        "RulingReason": "labeling.api.schema.RULING_REASON",
        "QualityState": "labeling.api.schema.QUALITY_STATE",
        "ExportFormat": "labeling.api.schema.EXPORT_FORMAT",
        "ExportGroup": "labeling.api.schema.EXPORT_GROUP",
        "ExportKind": "labeling.api.schema.EXPORT_KIND",
        "ExportContainer": "labeling.api.schema.EXPORT_CONTAINER",
        "NoticeKind": "labeling.api.schema.NOTICE_KIND",
        "ProjectNoticeKind": "labeling.api.schema.PROJECT_NOTICE_KIND",
        "WebhookFormat": "labeling.api.schema.WEBHOOK_FORMAT",
        "SplitterKind": "labeling.api.schema.SPLITTER_KIND",
        "StepSplit": "labeling.api.schema.STEP_SPLIT",
        "SplitEnum": "labeling.api.schema.PROBLEM_SPLIT",
        "PersonKind": "labeling.api.schema.PERSON_KIND",
        "PrmFamily": "labeling.api.schema.PRM_FAMILY",
        "PrmAggregation": "labeling.api.schema.PRM_AGGREGATION",
        "PrmStatus": "labeling.api.schema.PRM_STATUS",
        "StepScorerKind": "labeling.api.schema.STEP_SCORER_KIND",
        "RoundSource": "labeling.api.schema.ROUND_SOURCE",
        "MarksShown": "labeling.api.schema.MARKS_SHOWN",
        "SetSource": "labeling.api.schema.SET_SOURCE",
        "TrainingStage": "labeling.api.schema.TRAINING_STAGE",
        "ReviewKind": "labeling.api.schema.REVIEW_KIND",
        "SuggestionKind": "labeling.api.schema.SUGGESTION_KIND",
        "LabelAuditStatus": "labeling.api.schema.LABEL_AUDIT_STATUS",
        "ReleaseState": "labeling.api.schema.RELEASE_STATE",
    },
}

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True  # the result of a task is in its own row
CELERY_TASK_DEFAULT_QUEUE = "cpu"
ON_GPU = ("worker.train_prm", "worker.evaluate_prm", "worker.try_prm")
CELERY_TASK_ROUTES: dict[str, dict[str, object]] = {name: {"queue": "gpu"} for name in ON_GPU}
# Nobody waits for it: every import has its traces looked at, in hundreds of messages. Within a queue, 9 comes last.
CELERY_TASK_ROUTES["worker.mark_traces"] = {"priority": 9}
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_AUTOSCALER = "annotation_app.spare_process:SpareProcess"
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Workers and the clock tolerate a slow broker. What an action sends (jobs.send_task) must not hang: it is tried once,
# and if that fails, the sweep finds the row later.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2}
BROKER_PATIENCE = {**VALKEY_PATIENCE, "max_retries": 1, "interval_start": 0, "interval_step": 0}
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 5, "socket_connect_timeout": 2, "visibility_timeout": 43_200}
# A message expires by the sender's clock, and the worker discards it by its own: so it is valid this much longer.
CLOCKS_APART = 150  # seconds between the clocks of two machines: each may be a minute off
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "worker.sweep", "schedule": 20.0, "options": {"expires": 20 + CLOCKS_APART}},
    "evaluate labelers": {
        "task": "worker.evaluate_labelers",
        "schedule": 5.0,
        "options": {"expires": 5 + CLOCKS_APART},
    },
    "spread gold": {"task": "worker.spread_gold", "schedule": 5.0, "options": {"expires": 5 + CLOCKS_APART}},
}
CELERY_BEAT_SCHEDULER = "annotation_app.beat:InMemory"

LOG_FORMAT = env.str("LOG_FORMAT", "text")
if LOG_FORMAT not in ("text", "json"):
    raise ImproperlyConfigured("LOG_FORMAT must be text (for people, the default) or json (one object per line).")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "annotation_app.log_lines.PlainLine"},
        "json": {"()": "annotation_app.log_lines.JsonLine"},
    },
    "filters": {
        "one_line": {"()": "annotation_app.log_lines.OneLineForRefused"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["one_line"]}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", "INFO")},
    "loggers": {"axes": {"level": "WARNING"}, "django": {"level": "WARNING"}},
}
