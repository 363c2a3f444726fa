"""Labels of agents' runs, in formats that the recorders of the runs can read. See docs/agent-traces.md."""

from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.home import atif, inspect_scores, trace_scores

HOME: tuple[ExportFormat, ...] = (
    atif.FORMAT,
    inspect_scores.FORMAT,
    trace_scores.OTEL,
    trace_scores.LANGFUSE,
    trace_scores.LANGSMITH,
)
