"""Labels of agents' runs, written so that whoever recorded the runs takes them back. docs/agent-traces.md tells how."""

from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.home import atif, inspect_scores, trace_scores

HOME: tuple[ExportFormat, ...] = (
    atif.FORMAT,
    inspect_scores.FORMAT,
    trace_scores.OTEL,
    trace_scores.LANGFUSE,
    trace_scores.LANGSMITH,
)
