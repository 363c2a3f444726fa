"""Messages between a person, an agent and its tools, in any of their dialects, as typed steps. Pure.

OpenAI's chat messages and response items, Anthropic's content blocks, the parts of OpenTelemetry's GenAI conventions,
LangChain's, Gemini's and Inspect's messages differ in names but say the same. Nothing is fetched: an image that is not
in the file is only mentioned.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from labeling.formats.imports.agents.pictures import is_picture, pictures_in
from labeling.formats.typed_steps import AGENT, CALLS, kind_of_call

Json = dict[str, Any]
ROLES = {
    "human": "user",
    "user": "user",
    "input": "user",
    "observation": "tool",
    "assistant": AGENT,
    "ai": AGENT,
    "model": AGENT,
    "agent": AGENT,
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
SAID = ("text", "output_text", "input_text", "refusal")
THOUGHTS = ("thinking", "reasoning", "thought")
CALLED = ("tool_use", "tool_call", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call")
ANSWERED = ("tool_result", "tool_call_response", "function_call_output", "web_search_tool_result", "mcp_tool_result")
WITHHELD = "(the provider gave this thought encrypted)"


def steps_of_messages(messages: Sequence[Any], format: str, *, at: int = 0, turn: Any = None) -> list[Json]:
    """Return the typed steps of messages in order. `at`: the position of the first; `turn`: one turn for all."""
    found: list[Json] = []
    for index, message in enumerate(messages, start=at):
        if isinstance(message, str):
            message = {"role": "user", "content": message}
        if not isinstance(message, dict):
            continue
        of_turn = index if turn is None else turn
        for step in message_steps(message):
            step["turn"] = of_turn
            step.setdefault("source_ref", {"format": format, "message_index": index})
            found.append(step)
    return found


def with_final(steps: list[Json]) -> list[Json]:
    """Mark the agent's last message as its answer, if it calls nothing."""
    own = [step for step in steps if step["actor"] == AGENT]
    if own and not any(step["kind"] in CALLS for step in own if step.get("turn") == own[-1].get("turn")):
        for step in own:
            if step["kind"] == "message" and step.get("turn") == own[-1].get("turn"):
                step["kind"] = "final"
    return steps


def message_steps(message: Mapping[str, Any]) -> Iterator[Json]:
    """Return the typed steps of one message."""
    if isinstance(inner := message.get("kwargs"), dict) and message.get("lc") is not None:  # LangChain's serialisation
        message = {"type": str((message.get("id") or ["human"])[-1]).removesuffix("Message").lower(), **inner}
    kind = str(message.get("type") or "")
    role = ROLES.get(str(message.get("role") or kind).lower(), AGENT if kind else "user")
    known = _times(message)
    if "role" not in message and kind in (*CALLED, *ANSWERED, *THOUGHTS):
        yield from _with(_block(message, role), known)
        return
    content = message.get("content", message.get("parts", message.get("text")))
    if role == "tool":
        yield from _with(_result_message(message, content), known)
        return
    for name in ("reasoning_content", "reasoning", "thinking"):
        if isinstance(said := message.get(name), str) and said.strip():
            yield {"kind": "thought", "actor": role, "text": said, **known}
            break
    yield from _with(_blocks(content, role), known)
    yield from _with(_calls(message), known)


def _with(steps: Iterator[Json], known: Json) -> Iterator[Json]:
    for step in steps:
        yield {**step, **known}


def _times(message: Mapping[str, Any]) -> Json:
    found: Json = {}
    for name, key in (("t_start", "timestamp"), ("t_end", "completed_at")):
        if isinstance(value := message.get(key), str):
            found[name] = value
    if isinstance(who := message.get("name") or message.get("agent"), str) and who:
        found["name"] = who
    return found


def _blocks(content: Any, role: str) -> Iterator[Json]:
    if isinstance(content, str):
        if content.strip() or role != AGENT:
            yield _said(content, role)
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, str):
                yield _said(block, role)
            elif isinstance(block, dict):
                yield from _block(block, role)
    elif isinstance(content, dict):
        yield from _blocks(content.get("content", content.get("parts", [content])), role)


def _said(text: str, role: str) -> Json:
    return {"kind": "system" if role == "system" else "message", "actor": role, "text": text}


def _block(block: Mapping[str, Any], role: str) -> Iterator[Json]:
    kind = block.get("type")
    if kind in CALLED or isinstance(block.get("function_call"), dict):
        yield call_step(block.get("function_call") if isinstance(block.get("function_call"), dict) else block)
    elif kind in ANSWERED or isinstance(block.get("function_response"), dict):
        yield _answer(block.get("function_response") if "function_response" in block else block)
    elif kind == "redacted_thinking":
        yield {"kind": "thought", "actor": role, "text": WITHHELD, "cut": True}
    elif kind in THOUGHTS:
        said = block.get("thinking") or block.get("reasoning") or block.get("content") or block.get("text")
        summary = as_text(block.get("summary") or "") if not said else ""
        if said or summary:
            yield {"kind": "thought", "actor": role, "text": as_text(said or summary)}
    elif kind in SAID or (kind is None and isinstance(block.get("text"), str)):
        yield _said(as_text(block.get("text", block.get("content", block.get("refusal", "")))), role)
    elif kind == "message":
        yield from _blocks(block.get("content"), role)
    elif is_picture(block):
        pictures = pictures_in(block)
        yield {**_said("[image]" if pictures else "[image, not in this file]", role), "pictures": pictures}
    else:
        yield _said(f"[{kind or 'a part'}, not shown]", role)


def _calls(message: Mapping[str, Any]) -> Iterator[Json]:
    more = message.get("additional_kwargs")
    calls = message.get("tool_calls") or (more.get("tool_calls") if isinstance(more, dict) else None)
    if isinstance(one := message.get("function_call"), dict) and not calls:
        calls = [one]
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            yield call_step(call)


def call_step(call: Any) -> Json:
    """Return a tool call as a step. Arguments that are JSON as text are decoded; other texts are kept and marked."""
    inner = call.get("function")
    about = inner if isinstance(inner, dict) else call
    tool = inner if isinstance(inner, str) else str(about.get("name") or about.get("function_name") or "")
    arguments: Any = next((about[key] for key in ("arguments", "args", "input", "parameters") if key in about), {})
    step: Json = {"actor": AGENT, "text": "", "tool": tool, "arguments": arguments}
    if isinstance(arguments, str):
        try:
            step["arguments"] = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            step["invalid_arguments"] = bool(arguments.strip())
    if isinstance(ident := call.get("call_id") or call.get("id") or call.get("tool_call_id"), str):
        step["call_id"] = ident
    return {"kind": kind_of_call(tool, step["arguments"]), **step}


def _result_message(message: Mapping[str, Any], content: Any) -> Iterator[Json]:
    ids = message.get("tool_call_ids")
    ident = message.get("tool_call_id") or (ids[0] if isinstance(ids, list) and ids else None)
    parts = content if isinstance(content, list) else None
    if parts and all(isinstance(part, dict) and part.get("type") in ANSWERED for part in parts):
        for part in parts:
            yield _answer(part)
        return
    error = message.get("error")
    step: Json = {"kind": "observation", "actor": "tool", "text": as_text(content), "pictures": pictures_in(content)}
    if isinstance(tool := message.get("name") or message.get("function"), str):
        step["tool"] = tool
    if isinstance(ident, str):
        step["call_id"] = ident
    if error or message.get("status") == "error" or message.get("is_error") is True:
        step["is_error"] = True
        if isinstance(error, dict) and error.get("message"):
            step["text"] = f"{error.get('type', 'error')}: {error['message']}\n{step['text']}".rstrip()
    yield step


def _answer(block: Any) -> Json:
    said = next((block[key] for key in ("content", "response", "output", "result") if key in block), "")
    step: Json = {"kind": "observation", "actor": "tool", "text": as_text(said), "pictures": pictures_in(said)}
    ident = next((block[key] for key in ("tool_use_id", "call_id", "id") if isinstance(block.get(key), str)), None)
    if ident:
        step["call_id"] = ident
    if isinstance(block.get("name"), str):
        step["tool"] = block["name"]
    if block.get("is_error") is True:
        step["is_error"] = True
    return step


def objects_in(value: Any) -> list[Json]:
    """Return the objects of a list, without other items; empty if the value is not a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return a result as text: a text unchanged, parts one below the other, anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(part, dict | str) for part in value):
        texts = [part if isinstance(part, str) else _part_text(part) for part in value]
        if all(text is not None for text in texts):
            return "\n".join(text or "" for text in texts)
    if isinstance(value, dict) and isinstance(value.get("content"), str | list) and len(value) <= 3:
        return as_text(value["content"])
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _part_text(part: Json) -> str | None:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if is_picture(part):
        return "[image]" if pictures_in(part) else "[image, not in this file]"
    return None
