"""Sends server errors to Sentry or a compatible service. Without SENTRY_DSN this is off and nothing of it is loaded.

What is sent is picked, not scrubbed: where in the code, which kind of fault, which request. No message, local variable,
body, address or argument, because any of them may hold a problem, a step or a name. The log has these, by request id.
"""

from typing import Any

from django.conf import settings

from annotation_app.request_ids import current_request_id

Json = dict[str, Any]
ABOUT = ("event_id", "timestamp", "level", "platform", "logger", "release", "environment", "sdk", "transaction")
FRAME = (
    "filename",
    "abs_path",
    "function",
    "module",
    "lineno",
    "pre_context",
    "context_line",
    "post_context",
    "in_app",
)


def start_fault_reports() -> None:
    """Start sending the faults of this process."""
    if not settings.SENTRY_DSN:
        return
    import sentry_sdk  # noqa: PLC0415 (only where somebody wants them)
    from sentry_sdk.integrations.celery import CeleryIntegration  # noqa: PLC0415
    from sentry_sdk.integrations.django import DjangoIntegration  # noqa: PLC0415

    sentry_sdk.init(
        settings.SENTRY_DSN,
        release=f"stepmark@{settings.VERSION}",
        environment="production" if settings.PRODUCTION else "development",
        integrations=[DjangoIntegration(), CeleryIntegration()],
        auto_enabling_integrations=False,
        before_send=lambda event, hint: picked(event),
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        send_default_pii=False,
    )


def picked(event: Any) -> Any:
    """Return the parts of a fault that are sent."""
    kept: Json = {name: event[name] for name in ABOUT if name in event}
    kept["tags"] = {"request_id": current_request_id()}
    if faults := event.get("exception", {}).get("values"):
        kept["exception"] = {"values": [_picked_fault(fault) for fault in faults]}
    if line := event.get("logentry", {}).get("message"):
        kept["logentry"] = {"message": line}  # as in the code, before its values are filled in
    if method := event.get("request", {}).get("method"):
        kept["request"] = {"method": method}
    return kept


def _picked_fault(fault: Json) -> Json:
    frames = (fault.get("stacktrace") or {}).get("frames", [])
    traced = [{name: frame[name] for name in FRAME if name in frame} for frame in frames]
    return {"type": fault.get("type"), "module": fault.get("module"), "stacktrace": {"frames": traced}}
