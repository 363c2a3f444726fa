"""Scores as services accept them: OpenTelemetry's evaluation events, Langfuse's scores, LangSmith's feedback.

OpenTelemetry: one event `gen_ai.evaluation.result` for each score, on the span that it is about (semantic conventions
for GenAI), in OTLP's JSON form of logs. Each line is a whole export request that a collector's file receiver can read.
Langfuse: bodies of POST /api/public/scores. LangSmith: bodies of POST /feedback. Both overwrite entries with the same
id.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from labeling.errors import LabelNotCarried
from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.containers import NUMBER, TEXT, WHOLE, Column, Columns
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.home.said import FIXED, SWITCHES, Score, recorder_of, refs_of, scores_of

Json = dict[str, Any]
EVENT = "gen_ai.evaluation.result"
TRACE_ID, SPAN_ID = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
Placed = Iterator[tuple[ExportedLabel, Score, str, str | None]]


def _placed(labels: Sequence[ExportedLabel], recorder: str) -> Placed:
    """Each score of runs from this recorder, with the id of its trace and, if it has one, of its span."""
    for label in labels:
        trace = label.trace
        if recorder_of(trace) != recorder:
            continue
        trace_id, refs = str(trace.metadata.get("trace_id") or ""), refs_of(trace)
        if not trace_id:
            raise LabelNotCarried(f"The run of label {label.id} has no trace id: its scores cannot be sent anywhere.")
        for score in scores_of(label):
            yield label, score, trace_id, None if score.unit is None else refs[score.unit].get("span_id")


def _otel(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    records = [_record(*placed) for placed in _placed(labels, "otel")]
    if not records:
        return []
    resource = {"attributes": [_attribute("service.name", "stepmark")]}
    return [
        {
            "resourceLogs": [
                {"resource": resource, "scopeLogs": [{"scope": {"name": "stepmark"}, "logRecords": records}]}
            ]
        }
    ]


def _record(label: ExportedLabel, score: Score, trace_id: str, span_id: str | None) -> Json:
    trace_id, span_id = trace_id.lower(), span_id and span_id.lower()
    if not TRACE_ID.fullmatch(trace_id) or (span_id and not SPAN_ID.fullmatch(span_id)):
        raise LabelNotCarried(
            f"Label {label.id} is of trace {trace_id}, span {span_id}: OTLP ids have 32 and 16 hexadecimal digits."
        )
    time = str(int(label.submitted_at.timestamp() * 1_000_000) * 1000)
    about: dict[str, Any] = {
        "gen_ai.evaluation.name": score.name,
        "gen_ai.evaluation.score.value": score.value,
        "gen_ai.evaluation.score.label": score.word,
        "gen_ai.evaluation.explanation": score.explanation or None,
        "log.record.uid": score.id,
        "stepmark.labeler": label.labeler,
        "stepmark.unit": score.unit,
    }
    record: Json = {"timeUnixNano": time, "observedTimeUnixNano": time, "eventName": EVENT, "traceId": trace_id}
    record |= {"spanId": span_id} if span_id else {}
    attributes = [_attribute(key, value) for key, value in about.items() if value is not None]
    return {**record, "attributes": attributes}


def _attribute(key: str, value: str | int | float) -> Json:
    if isinstance(value, str):
        return {"key": key, "value": {"stringValue": value}}
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    return {"key": key, "value": {"doubleValue": value}}


def _langfuse(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [
        {
            "id": score.id,
            "traceId": trace_id,
            "observationId": span_id,
            "name": score.name,
            "value": score.value,
            "dataType": "NUMERIC",
            "comment": _comment(score),
            "metadata": _about(label, score),
            "timestamp": label.submitted_at.isoformat(),
        }
        for label, score, trace_id, span_id in _placed(labels, "langfuse")
    ]


def _langsmith(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [
        {
            "id": score.id,
            "run_id": _uuid(label, span_id or trace_id),
            "trace_id": _uuid(label, trace_id),
            "key": score.name,
            "score": score.value,
            "value": score.word,
            "comment": score.explanation or None,
            "created_at": label.submitted_at.isoformat(),
            "feedback_source": {"type": "api", "metadata": _about(label, score)},
        }
        for label, score, trace_id, span_id in _placed(labels, "langsmith")
    ]


def _told(rows: Sequence[Json], labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> set[int]:
    return {label.id for label in labels if scores_of(label)}


def _uuid(label: ExportedLabel, ident: str) -> str:
    try:
        return str(UUID(ident))
    except ValueError:
        raise LabelNotCarried(f"Label {label.id} is of run {ident}: LangSmith's ids are UUIDs.") from None


def _comment(score: Score) -> str:
    return "\n".join(part for part in (score.word, score.explanation) if part)


def _about(label: ExportedLabel, score: Score) -> Json:
    return {"labeler": label.labeler, "unit": score.unit, "label": score.word, "protocol": label.protocol}


ABOUT: Columns = {"labeler": TEXT, "unit": WHOLE, "label": TEXT, "protocol": TEXT}
ATTRIBUTES: list[Column] = [{"key": TEXT, "value": {"stringValue": TEXT, "intValue": TEXT, "doubleValue": NUMBER}}]
RECORD: Columns = {
    **dict.fromkeys(("timeUnixNano", "observedTimeUnixNano", "eventName", "traceId", "spanId"), TEXT),
    "attributes": ATTRIBUTES,
}
LOGS: Columns = {"scope": {"name": TEXT}, "logRecords": [RECORD]}


def _format(rows: Callable[..., list[Json]], columns: Columns, **about: str) -> ExportFormat:
    return ExportFormat(
        kind="home",
        group="trace",
        switches=SWITCHES,
        columns=columns,
        rows=rows,
        told=_told,
        remarks=True,
        fixed_because=FIXED,
        **about,  # type: ignore[arg-type]
    )


LOSES = partial(
    "{0} Runs that were not imported from {1} are left out; scores without a {2} are attached to the trace.".format
)
OTEL = _format(
    _otel,
    {"resourceLogs": [{"resource": {"attributes": ATTRIBUTES}, "scopeLogs": [LOGS]}]},
    name="otel_evaluations",
    title="OpenTelemetry evaluations",
    means="An event gen_ai.evaluation.result for each rating and mark, on the span it is about: OTLP's logs as JSON.",
    loses=LOSES("Trace ids that OTLP does not allow fail the export.", "OpenTelemetry spans", "span"),
)
LANGFUSE = _format(
    _langfuse,
    {
        **dict.fromkeys(("id", "traceId", "observationId", "name"), TEXT),
        "value": NUMBER,
        **dict.fromkeys(("dataType", "comment"), TEXT),
        "metadata": ABOUT,
        "timestamp": TEXT,
    },
    name="langfuse_scores",
    title="Langfuse scores",
    means="A score for each rating and mark, on the observation it is about: bodies of POST /api/public/scores.",
    loses=LOSES("Words appear only in the comment.", "Langfuse", "observation"),
)
LANGSMITH = _format(
    _langsmith,
    {
        **dict.fromkeys(("id", "run_id", "trace_id", "key"), TEXT),
        "score": NUMBER,
        **dict.fromkeys(("value", "comment", "created_at"), TEXT),
        "feedback_source": {"type": TEXT, "metadata": ABOUT},
    },
    name="langsmith_feedback",
    title="LangSmith feedback",
    means="Feedback for each rating and mark, on the run it is about: bodies of POST /feedback.",
    loses=LOSES("Runs whose ids are not UUIDs fail the export.", "LangSmith", "run"),
)
