"""The span names that we read and write match OpenTelemetry's and OpenInference's own packages."""

import ast
import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from openinference.semconv import trace as openinference
from openinference.semconv.trace import (
    ImageAttributes,
    MessageAttributes,
    MessageContentAttributes,
    OpenInferenceSpanKindValues,
    SpanAttributes,
    ToolCallAttributes,
)
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes, log_attributes
from opentelemetry.semconv._incubating.attributes.gen_ai_attributes import GenAiOperationNameValues
from opentelemetry.semconv.attributes import error_attributes

from labeling.actions import rounds
from labeling.formats.exports.home import trace_scores
from labeling.formats.imports.agents import spans
from labeling.models import Trace
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.imports.test_what_agents_saw import data_url, png

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
OURS = ("stepmark.", "ai.")  # our own, and those of Vercel's SDK, which has no package of names
EVENTS = {"gen_ai.evaluation.result"}  # an event: the packages name attributes only


def test_every_attribute_that_is_read_or_written_is_named_by_the_conventions() -> None:
    known = {one for module in (gen_ai_attributes, log_attributes, error_attributes) for one in texts_of(vars(module))}
    known |= {one for kind in vars(openinference).values() if isinstance(kind, type) for one in texts_of(vars(kind))}
    families = {name.split(".")[0] for name in known}
    for module in (spans, trace_scores):
        tree = ast.parse(inspect.getsource(module))
        said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        names = {one for one in said if "." in one and one.replace(".", "").replace("_", "").isalpha()}
        ours = {one for one in names if one.startswith(OURS)}
        theirs = {one for one in names - ours - EVENTS if one.split(".")[0] in families}
        assert len(theirs) >= 5
        assert theirs <= known, f"{module.__name__} has names that nobody else has"


def texts_of(names: Any) -> set[str]:
    return {value for value in names.values() if isinstance(value, str) and "." in value}


def test_chats_and_tools_in_the_conventions_own_names_are_read_as_one_run(tmp_path: Path) -> None:
    for dialect in (open_telemetry(), open_inference()):
        project = make_project()
        import_bytes(project, lines(*dialect), tmp_path)
        trace = Trace.objects.get(project=project)
        told = [(step["kind"], step.get("tool"), step["text"]) for step in trace.typed_steps]
        assert ("message", None, "Look.") in told
        assert [kind for kind, _, _ in told][-3:] == ["tool_call", "observation", "final"]
        assert ("observation", "look", "a.py") in told
        assert trace.generator == "m-1"
    pictures = [step.get("images", []) for step in Trace.objects.latest("pk").typed_steps]
    assert [len(one) for one in pictures] == [0, 1, 0, 0, 0], "a picture among the parts of what was asked is kept"


def test_evaluations_go_home_under_the_conventions_names(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(*open_telemetry()), tmp_path)
    rounds.open_round(project, by=None)
    labeler = Labeler(project, make_member(project))
    label = labeler.claim()["label"]
    labeler.submit(label, [-1, 1])
    [row] = exported(project, "otel_evaluations")[0]
    records = row["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    names = {one["key"] for record in records for one in record["attributes"] if not one["key"].startswith("stepmark.")}
    known = texts_of(vars(gen_ai_attributes)) | texts_of(vars(log_attributes))
    assert {gen_ai_attributes.GEN_AI_EVALUATION_NAME, gen_ai_attributes.GEN_AI_EVALUATION_SCORE_VALUE} <= names <= known


def span(number: int, attributes: Json) -> Json:
    about = {"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": f"00f067aa0ba902b{number}", "name": "look"}
    return {**about, "startTimeUnixNano": number, "attributes": attributes}


def open_telemetry() -> list[Json]:
    names = gen_ai_attributes
    asked = {"role": "user", "parts": [{"type": "text", "content": "Look."}]}
    call = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {"at": "."}}]}
    given = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "a.py"}]}
    done = {"role": "assistant", "parts": [{"type": "text", "content": "One file."}]}
    chat = {names.GEN_AI_OPERATION_NAME: GenAiOperationNameValues.CHAT.value, names.GEN_AI_RESPONSE_MODEL: "m-1"}
    tool = {names.GEN_AI_OPERATION_NAME: GenAiOperationNameValues.EXECUTE_TOOL.value, names.GEN_AI_TOOL_NAME: "look"}
    tool |= {names.GEN_AI_TOOL_CALL_ARGUMENTS: '{"at": "."}', names.GEN_AI_TOOL_CALL_RESULT: "a.py"}

    def chat_span(number: int, said: Json, before: list[Json]) -> Json:
        told = {names.GEN_AI_INPUT_MESSAGES: json.dumps(before), names.GEN_AI_OUTPUT_MESSAGES: json.dumps([said])}
        return span(number, {**chat, **told})

    return [chat_span(1, call, [asked]), span(2, tool), chat_span(3, done, [asked, call, given])]


def open_inference() -> list[Json]:
    message, content, call = MessageAttributes, MessageContentAttributes, ToolCallAttributes
    of_input, of_output = f"{SpanAttributes.LLM_INPUT_MESSAGES}.0", f"{SpanAttributes.LLM_OUTPUT_MESSAGES}.0"
    kind = SpanAttributes.OPENINFERENCE_SPAN_KIND
    part, called = f"{of_input}.{message.MESSAGE_CONTENTS}", f"{of_output}.{message.MESSAGE_TOOL_CALLS}.0"
    chat = {kind: OpenInferenceSpanKindValues.LLM.value, SpanAttributes.LLM_RESPONSE_MODEL_NAME: "m-1"}
    chat |= {f"{of_input}.{message.MESSAGE_ROLE}": "user", f"{of_output}.{message.MESSAGE_ROLE}": "assistant"}
    chat |= {f"{part}.0.{content.MESSAGE_CONTENT_TYPE}": "text", f"{part}.0.{content.MESSAGE_CONTENT_TEXT}": "Look."}
    chat |= {f"{part}.1.{content.MESSAGE_CONTENT_TYPE}": "image"}
    chat |= {f"{part}.1.{content.MESSAGE_CONTENT_IMAGE}.{ImageAttributes.IMAGE_URL}": data_url(png(4, 4))}
    calls = {f"{called}.{call.TOOL_CALL_ID}": "c1", f"{called}.{call.TOOL_CALL_FUNCTION_NAME}": "look"}
    calls |= {f"{called}.{call.TOOL_CALL_FUNCTION_ARGUMENTS_JSON}": '{"at": "."}'}
    tool = {kind: OpenInferenceSpanKindValues.TOOL.value, SpanAttributes.TOOL_NAME: "look"}
    tool |= {SpanAttributes.INPUT_VALUE: '{"at": "."}', SpanAttributes.OUTPUT_VALUE: "a.py"}
    said = {f"{of_output}.{message.MESSAGE_CONTENT}": "One file."}
    return [span(1, {**chat, **calls}), span(2, tool), span(3, {**chat, **said})]
