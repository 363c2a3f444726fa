"""Runs recorded as spans: OpenTelemetry's GenAI conventions, OpenInference, LangSmith's runs, Langfuse's observations.

Each chat span repeats the whole conversation before it, so repeated messages are shown once; messages are compared by
content. A tool's result is taken from the next chat, or from the tool's own span if no chat contains it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from labeling.formats.imports.agents.run import NoRun, Run, first_task
from labeling.formats.imports.agents.turns import ROLES, as_text, steps_of_messages
from labeling.formats.typed_steps import AGENT, CALLS, kind_of_call

Json = dict[str, Any]
CHATS = {"LLM", "GENERATION", "chat", "text_completion", "generate_content", "llm"}
TOOLS = {"TOOL", "execute_tool", "tool", "RETRIEVER", "retrieval"}
INPUTS = ("gen_ai.input.messages", "ai.prompt.messages", "gen_ai.prompt", "input.value", "ai.prompt")
OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "output.value")
MODELS = (
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.response.model_name",
    "llm.request.model_name",
    "llm.model_name",
)
SYSTEM = ("gen_ai.system_instructions",)
CUT_AT = 10_240  # bytes at which a common exporter truncates attributes


def span_run(spans: Sequence[Json]) -> Run:
    """Return the run in these spans, ordered by start. A span that an exporter sent twice counts once, as last sent."""
    once = {one["id"] or place: one for place, one in enumerate(map(_seen, spans))}
    seen = sorted(once.values(), key=lambda one: (one["start"], one["order"]))
    return run_of(seen, "otel")


def run_of(seen: Sequence[Json], format: str) -> Run:
    """Return the run of what was observed: each item has an id, its kind, input and output."""
    steps: list[Json] = []
    told: set[str] = set()
    for one in seen:
        if one["what"] == "chat":
            _tell_chat(one, steps, told, format)
        elif one["what"] == "tool":
            _tell_tool(one, steps, told, format)
    if not any(step["actor"] == AGENT for step in steps):
        _tell_whole(seen, steps, format)
    if not steps:
        raise NoRun("", [one["name"] for one in seen][:8], "No chat span or tool span has any content.")
    model = next((one["model"] for one in seen if one["model"]), "")
    return Run(first_task(steps), steps, source=format, generator=str(model))


def _tell_chat(one: Json, steps: list[Json], told: set[str], format: str) -> None:
    for place, (side, messages) in enumerate((("input", one["input"]), ("output", one["output"]))):
        found = steps_of_messages(messages, format, turn=f"{one['id']}/{place}")
        for number, step in enumerate(found):
            if side == "output" and step["actor"] == "user":
                step["actor"] = AGENT
            if side == "input" and step["actor"] == AGENT:
                step["turn"] = f"{one['id']}/{place}/{_turn_before(found, number)}"
            key = _key(step)
            if side == "input" and (key in told or _is_answered(step, steps)):
                continue
            told.add(key)
            step["source_ref"] = {"format": format, "span_id": one["id"]}
            step |= {name: one[name] for name in ("t_start", "t_end") if one.get(name) and step["actor"] == AGENT}
            if one["cut"]:
                step["cut"] = True
            steps.append(step)


def _is_answered(step: Json, steps: list[Json]) -> bool:
    """Return whether a result passed to a chat was already shown by the tool's own span."""
    calls = [one for one in steps if one["kind"] in CALLS]
    answered = {one.get("call_id") for one in steps if one["kind"] == "observation"}
    return step["kind"] == "observation" and bool(calls) and all(one.get("call_id") in answered for one in calls)


def _turn_before(steps: list[Json], number: int) -> int:
    """Return where the agent's message began: its consecutive steps are one message."""
    while number > 0 and steps[number - 1]["actor"] == AGENT and steps[number - 1]["kind"] not in ("message", "final"):
        number -= 1
    return number


def _key(step: Json) -> str:
    """Return the key by which a repeated step is recognised."""
    if step["kind"] == "observation":
        return f"observation {step.get('call_id') or step['text']}"
    if step["kind"] in CALLS:
        return f"call {step.get('call_id') or [step.get('tool'), step.get('arguments')]}"
    return f"{step['actor']} {step['text']}"


def _tell_tool(one: Json, steps: list[Json], told: set[str], format: str) -> None:
    """Add a tool's result. It answers the first unanswered call of this tool; if there is none, the span itself is the
    call.
    """
    output = one["result"]
    answered = {step.get("call_id") for step in steps if step["kind"] == "observation"}
    waiting = [step for step in steps if step["kind"] in CALLS and step.get("call_id") not in answered]
    call = next((step for step in waiting if step["tool"] and step["tool"] in one["name"]), None)
    ref = {"format": format, "span_id": one["id"]}
    if call is None:
        if any(step["kind"] == "observation" and step["text"] == output for step in steps):
            return
        call = {"kind": kind_of_call(one["name"], one["arguments"]), "actor": AGENT, "text": "", "tool": one["name"]}
        call |= {"arguments": one["arguments"], "call_id": one["id"], "turn": one["id"], "source_ref": ref}
        steps.append(call)
    elif not call.get("call_id"):
        call["call_id"] = one["id"]
    result = {"kind": "observation", "actor": "tool", "text": output, "tool": one["name"], "call_id": call["call_id"]}
    result |= {"turn": one["id"], "source_ref": ref, "is_error": one["is_error"]}
    told.add(_key(result))
    steps.append({name: value for name, value in result.items() if value is not False})


def _tell_whole(seen: Sequence[Json], steps: list[Json], format: str) -> None:
    """If no chat was recorded, use the first span that contains a conversation."""
    for one in seen:
        found = steps_of_messages([*one["input"], *one["output"]], format)
        if any(step["actor"] == AGENT for step in found):
            steps[:] = [{**step, "source_ref": {"format": format, "span_id": one["id"]}} for step in found]
            return


def decoded(value: Any) -> Any:
    """Decode JSON in a text, also if it is nested as text in text."""
    for _ in range(3):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            return value
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def messages_in(value: Any, role: str) -> list[Any]:
    """Return the messages in an input or output, whatever they are wrapped in."""
    value = decoded(value)
    if value in (None, "", {}, []):
        return []
    if isinstance(value, list):
        known = [one for one in value if isinstance(one, dict)]
        return [_message(one, role) for one in known] if known else []
    if not isinstance(value, dict):
        return [{"role": role, "content": str(value)}]
    for name in ("messages", "contents"):
        if isinstance(value.get(name), list):
            return messages_in(list(_flat(value[name])), role)
    if isinstance(value.get("choices"), list):
        return [choice.get("message") or {} for choice in value["choices"] if isinstance(choice, dict)]
    if isinstance(value.get("generations"), list):
        return [one.get("message") or {"role": role, "content": one.get("text")} for one in _flat(value["generations"])]
    if value.get("object") == "response" or isinstance(value.get("output"), list):
        return messages_in(value.get("output") or [], role)
    if isinstance(value.get("prompt"), str):
        return [{"role": "user", "content": value["prompt"]}]
    if isinstance(value.get("content"), dict):
        return [_message(value["content"], role)]
    if value.get("content") == "role":  # an exporter's bug: the prompt is lost
        return []
    return [_message(value, role)] if {"role", "content", "parts", "type", "text"} & value.keys() else []


def _flat(items: list[Any]) -> Iterator[Any]:
    for item in items:
        if isinstance(item, list):
            yield from _flat(item)
        elif isinstance(item, dict):
            yield item


def _message(one: Json, role: str) -> Json:
    nested = one.get("message") if isinstance(one.get("message"), dict) and "content" not in one else None
    one = nested or one
    if "role" in one or str(one.get("type") or "").lower() in (*ROLES, "constructor") or "lc" in one:
        return one
    if one.get("type") in ("function_call", "function_call_output", "reasoning", "message"):
        return {"role": role, **one} if one.get("type") == "message" else one
    return {"role": role, **one}


def _seen(span: Json) -> Json:
    """Return the relevant parts of a span of either dialect, flattened or as an OTLP exporter writes it."""
    about = attributes_of(span)
    context = span.get("spanContext") or span.get("context") or {}
    ident = str(span.get("spanId") or span.get("span_id") or context.get("spanId") or context.get("span_id") or "")
    kind = about.get("openinference.span.kind") or about.get("gen_ai.operation.name") or ""
    name = str(
        about.get("gen_ai.tool.name") or about.get("tool.name") or span.get("name") or span.get("span_name") or ""
    )
    what = "chat" if kind in CHATS or _is_vercel_chat(about) else "tool" if kind in TOOLS else ""
    given = _first(about, INPUTS)
    output = (
        _flattened(about, "llm.output_messages") or _said(about) or messages_in(_first(about, OUTPUTS), "assistant")
    )
    result = _first(about, ("gen_ai.tool.call.result", "output.value", "ai.toolCall.result"))
    arguments = decoded(
        _first(about, ("gen_ai.tool.call.arguments", "input.value", "ai.toolCall.args", "tool.parameters"))
    )
    said = _flattened(about, "llm.input_messages") or messages_in(given, "user")
    if system := messages_in(_first(about, SYSTEM), "system"):
        said = [*system, *said]
    status = span.get("status") or {}
    code = status.get("code", status.get("status_code")) if isinstance(status, dict) else span.get("status_code")
    return {
        "id": ident,
        "name": name,
        "what": what,
        "input": said,
        "output": output,
        "arguments": arguments or {},
        "result": as_text(decoded(result)),
        "start": _number(span.get("startTime") or span.get("startTimeUnixNano") or span.get("start_time")),
        "order": str(span.get("timestamp") or ident),
        "model": _first(about, MODELS),
        "is_error": str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR") or "error.type" in about,
        "cut": any(isinstance(one, str) and len(one.encode()) == CUT_AT for one in about.values()),
    }


def _is_vercel_chat(about: Json) -> bool:
    """Return whether the span is an inner one of Vercel's SDK. These repeat the outer ones, but contain the messages;
    the outer ones have the prompt as a whole.
    """
    return str(about.get("ai.operationId", "")).endswith((".doGenerate", ".doStream"))


def _said(about: Json) -> list[Json]:
    """Return the answer that Vercel's SDK writes as a text, with its calls, written as JSON."""
    text = about.get("ai.response.text") or about.get("ai.response.object")
    calls = decoded(about.get("ai.response.toolCalls")) or []
    if not text and not calls:
        return []
    named = [
        {"id": one.get("toolCallId"), "name": one.get("toolName"), "args": one.get("args", one.get("input"))}
        for one in calls
    ]
    return [{"role": "assistant", "content": text or "", "tool_calls": named}]


def attributes_of(span: Json) -> Json:
    """Return a span's attributes as one object, even if they are a list of keys and values."""
    about = span.get("attributes") or span.get("span_attributes") or {}
    if isinstance(about, dict):
        return about
    return {one["key"]: next(iter(one.get("value", {}).values()), None) for one in about if "key" in one}


def _first(about: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((about[name] for name in names if about.get(name) not in (None, "")), None)


def _flattened(about: Json, prefix: str) -> list[Json]:
    """Return `llm.output_messages.0.message.tool_calls.0.tool_call.function.name` and the like as messages."""
    found: dict[int, Json] = {}
    for key, value in about.items():
        mark = re.match(rf"{re.escape(prefix)}\.([0-9]{{1,6}})\.message\.(.+)", key)
        if not mark:
            continue
        message = found.setdefault(int(mark[1]), {"role": "assistant"})
        if inner := re.match(r"tool_calls\.([0-9]{1,6})\.tool_call\.(.+)", mark[2]):
            calls = message.setdefault("calls", {})
            calls.setdefault(int(inner[1]), {})[inner[2].removeprefix("function.")] = value
        elif inner := re.match(r"contents\.([0-9]{1,6})\.message_content\.(text|image\.image\.url)$", mark[2]):
            part = {"type": "text", "text": value} if inner[2] == "text" else {"type": "image_url", "image_url": value}
            message.setdefault("parts_told", {})[int(inner[1])] = part
        elif "." not in mark[2]:
            message[mark[2]] = value
    for message in found.values():
        if "calls" in message:
            message["tool_calls"] = [call for _, call in sorted(message.pop("calls").items())]
        if told := [part for _, part in sorted(message.pop("parts_told", {}).items())]:
            seen = any(part["type"] != "text" for part in told)
            message["content"] = told if seen else "".join(str(part["text"]) for part in told)
    return [message for _, message in sorted(found.items())]


def _number(value: Any) -> Any:
    """Return a time as a text that sorts spans correctly."""
    if isinstance(value, list) and len(value) == 2:
        return f"{value[0]:020d}.{value[1]:09d}"
    return str(value).zfill(20) if value is not None else ""
