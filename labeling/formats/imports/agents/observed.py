"""The formats of runs observed by a service: OpenTelemetry spans, LangSmith's runs, Langfuse's traces."""

from typing import Any

from labeling.formats.imports.agents.run import Run, run_format
from labeling.formats.imports.agents.spans import TOOLS, decoded, messages_in, run_of, span_run
from labeling.formats.imports.agents.turns import as_text, objects_in

Json = dict[str, Any]


def _spans(row: Json) -> Run:
    run = span_run(row["otel_spans"])
    run.problem_id = str(row.get("trace_id") or "")
    run.metadata = {"trace_id": row.get("trace_id")}
    return run


OTEL = run_format(
    _spans,
    name="otel",
    title="OpenTelemetry spans",
    means="Spans by OpenTelemetry's GenAI conventions or OpenInference: a trace for each trace id, with repeated"
    " history shown once.",
    looks_like="Spans with attributes, as a list, as lines, or in OTLP's form.",
    sniff=lambda row: 9 if "otel_spans" in row else 0,
)


def _langsmith(row: Json) -> Run:
    """Read LangSmith's runs. `dotted_order` gives the order of the tree."""
    runs = sorted(row["langsmith_runs"], key=lambda one: str(one.get("dotted_order") or one.get("start_time") or ""))
    run = run_of([_smith_seen(one) for one in runs], "langsmith")
    first = runs[0]
    run.problem_id = str(first.get("trace_id") or first.get("id") or "")
    run.metadata = {"trace_id": first.get("trace_id"), "name": first.get("name")}
    return run


def _smith_seen(one: Json) -> Json:
    inputs, outputs = one.get("inputs") or {}, one.get("outputs") or {}
    kind = str(one.get("run_type") or "")
    metadata = (one.get("extra") or {}).get("metadata") or {}
    result = outputs.get("output", outputs) if isinstance(outputs, dict) else outputs
    return {
        "id": str(one.get("id") or ""),
        "name": str(one.get("name") or ""),
        "what": "chat" if kind in ("llm", "chat") else "tool" if kind in TOOLS or kind == "retriever" else "",
        "input": messages_in(inputs, "user"),
        "output": messages_in(outputs, "assistant"),
        "arguments": decoded(inputs.get("input", inputs) if isinstance(inputs, dict) else inputs),
        "result": as_text(one["error"] if one.get("error") else decoded(result)),
        "is_error": bool(one.get("error")),
        "model": metadata.get("ls_model_name"),
        "t_start": one.get("start_time"),
        "t_end": one.get("end_time"),
        "cut": False,
    }


def langsmith_runs(row: Json) -> list[Json]:
    """Return the runs of a batch as the SDK sends it. Later patches belong to the runs that were posted."""
    known: dict[str, Json] = {}
    for part in ("post", "patch"):
        for one in objects_in(row.get(part)):
            kept = {key: value for key, value in one.items() if value not in (None, {}, [])}
            known[str(one.get("id"))] = {**known.get(str(one.get("id")), {}), **kept}
    return list(known.values())


LANGSMITH = run_format(
    _langsmith,
    name="langsmith",
    title="LangSmith runs",
    means="Exported runs, or the batches that its SDK sends: a trace for each trace id.",
    looks_like="Lines with `run_type` and `dotted_order`, or `post` and `patch`.",
    sniff=lambda row: 9 if "langsmith_runs" in row else 0,
)


def _langfuse(row: Json) -> Run:
    """Read a trace with its observations, in order of time."""
    observed = sorted(row["observations"], key=lambda one: (str(one.get("startTime")), str(one.get("endTime"))))
    trace = row.get("trace") or {}
    run = run_of([_fuse_seen(one) for one in observed], "langfuse")
    run.problem_id = str(trace.get("id") or (observed[0].get("traceId") if observed else "") or "")
    if not run.task:
        said = messages_in(trace.get("input"), "user")
        run.task = next((as_text(one.get("content")) for one in said if isinstance(one, dict)), "")
    kept = [
        {name: one.get(name) for name in ("name", "value", "comment", "source")} for one in trace.get("scores") or ()
    ]
    run.metadata = {"trace_id": run.problem_id, "name": trace.get("name"), "scores": kept}
    return run


def _fuse_seen(one: Json) -> Json:
    kind = str(one.get("type") or "")
    given, output = decoded(one.get("input")), decoded(one.get("output"))
    arguments = given.get("input", given) if isinstance(given, dict) else given
    return {
        "id": str(one.get("id") or ""),
        "name": str(one.get("name") or ""),
        "what": "chat" if kind == "GENERATION" else "tool" if kind in TOOLS else "",
        "input": messages_in(given, "user"),
        "output": messages_in(output, "assistant"),
        "arguments": arguments if arguments is not None else {},
        "result": as_text(output),
        "is_error": one.get("level") == "ERROR",
        "model": one.get("model"),
        "t_start": one.get("startTime"),
        "t_end": one.get("endTime"),
        "cut": False,
    }


def _fuse_marks(row: Json) -> int:
    observations = row.get("observations")
    if not isinstance(observations, list) or not observations or not isinstance(observations[0], dict):
        return 0
    return 8 if "type" in observations[0] and "startTime" in observations[0] else 0


LANGFUSE = run_format(
    _langfuse,
    name="langfuse",
    title="Langfuse traces",
    means="A trace with its observations, as Langfuse's page or API exports it.",
    looks_like="`trace` and `observations`.",
    sniff=_fuse_marks,
)
