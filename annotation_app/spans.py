"""Which parts of a span leave the server, and the span of a key press in the page. Loaded only if traces are on."""

import re
from collections.abc import Sequence

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status

LONGEST = 30 * 24 * 3600 * 1000  # ms: a submission may wait that long on a device without a network
KEPT = re.compile(
    r"http\.(request\.)?method|http\.route|http\.(response\.)?status_code|celery\.task_name|messaging\.destination.*"
    r"|db\.system|exception\.type"
)


class WithoutTexts(SpanExporter):
    """Exports what is known to contain no text: an exception's type, not its words; a route, not its parameters."""

    def __init__(self, exporter: SpanExporter) -> None:
        self.exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Called by the processor."""
        return self.exporter.export([_without_texts(span) for span in spans])

    def shutdown(self) -> None:
        """Called at the end of the process."""
        self.exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Called at the end of the process."""
        return self.exporter.force_flush(timeout_millis)


def _without_texts(span: ReadableSpan) -> ReadableSpan:
    return ReadableSpan(
        span.name,
        span.context,
        span.parent,
        span.resource,
        {name: value for name, value in (span.attributes or {}).items() if KEPT.fullmatch(name)},
        [
            Event(event.name, {k: v for k, v in (event.attributes or {}).items() if KEPT.fullmatch(k)}, event.timestamp)
            for event in span.events
        ],
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def press_of(span: Span, ago: str) -> ReadableSpan | None:
    """Return a span from the press until its request arrived here: the one the page named as the request's parent.

    `ago` is milliseconds since the press by the page's clock, so clocks need not agree. None if it says nothing.
    """
    if not isinstance(span, ReadableSpan) or span.parent is None or span.start_time is None:
        return None
    if not re.fullmatch(r"[0-9]{1,10}", ago) or int(ago) > LONGEST:
        return None
    began = span.start_time - int(ago) * 1_000_000
    return ReadableSpan(
        "key press",
        span.parent,
        resource=span.resource,
        kind=SpanKind.CLIENT,
        start_time=began,
        end_time=span.start_time,
        instrumentation_scope=span.instrumentation_scope,
    )
