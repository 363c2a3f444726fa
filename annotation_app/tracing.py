"""Traces for OpenTelemetry: from a key press to the statements it led to, and from a request to the work it began.

Off, with nothing loaded for it, until OTEL_EXPORTER_OTLP_ENDPOINT names a collector. Spans hold routes, names of tasks
and tables, and times, but no text that people or models wrote and no value of a statement or an address.
"""

import os
import re
from typing import Any

from django.conf import settings
from django.db.backends.signals import connection_created

PRESSED = "X-Stepmark-Pressed"  # milliseconds since the key was pressed, by the page's own clock
AFTER_CHECKS = "3"  # the position of its middleware: /metrics, /healthz and /readyz answer before it
VERB = re.compile(r"\b(INSERT|UPDATE|DELETE|COPY|SELECT)\b")
TABLE = re.compile(r"\b(?:UPDATE|FROM|INTO|COPY)\s+\"?(\w+)")


def start_tracing(service: str) -> None:
    """Start sending spans of this process; `service` is the part of the site that it does."""
    if not settings.TRACES_TO:
        return
    from opentelemetry import trace  # noqa: PLC0415 (only where somebody collects them)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.instrumentation.celery import CeleryInstrumentor  # noqa: PLC0415
    from opentelemetry.instrumentation.django import DjangoInstrumentor  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    from annotation_app.spans import WithoutTexts, press_of  # noqa: PLC0415

    about = {"service.name": f"stepmark-{service}", "service.version": settings.VERSION}
    provider = TracerProvider(resource=Resource.create(about))
    processor = BatchSpanProcessor(WithoutTexts(OTLPSpanExporter()))
    provider.add_span_processor(processor)
    trace.set_tracer_provider(provider)

    def add_press(span: Any, request: Any) -> None:
        press = press_of(span, request.headers.get(PRESSED, ""))
        if press is not None:
            processor.on_end(press)

    os.environ["OTEL_PYTHON_DJANGO_MIDDLEWARE_POSITION"] = AFTER_CHECKS
    DjangoInstrumentor().instrument(request_hook=add_press)
    CeleryInstrumentor().instrument()
    connection_created.connect(_watch_statements, dispatch_uid="tracing")


def _watch_statements(connection: Any, **_: Any) -> None:
    if _trace_statement not in connection.execute_wrappers:
        connection.execute_wrappers.append(_trace_statement)


def _trace_statement(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
    """Trace each statement of a request or a task, but not what workers look up between tasks."""
    from opentelemetry import trace  # noqa: PLC0415 (as above)

    if not trace.get_current_span().is_recording():
        return execute(sql, params, many, context)
    tracer = trace.get_tracer("stepmark")
    with tracer.start_as_current_span(name_of(str(sql)), attributes={"db.system": "postgresql"}):
        return execute(sql, params, many, context)


def name_of(sql: str) -> str:
    """Return what a statement does, and its first table: `UPDATE labeling_label`. The statement itself is not sent."""
    verb = VERB.search(sql)
    table = TABLE.search(sql, verb.start() if verb else 0)
    return " ".join(found for found in (verb and verb[1], table and table[1]) if found) or "statement"
