"""Runs written as chat messages: OpenAI's, including tau-bench's records; Anthropic's content blocks and sessions."""

from collections.abc import Iterator
from typing import Any

import orjson

from labeling.formats.imports.agents.run import NoRun, Run, first_task, run_format
from labeling.formats.imports.agents.turns import steps_of_messages

Json = dict[str, Any]
ROLES = {"system", "developer", "user", "assistant", "tool", "function"}
MESSAGES = ("messages", "traj", "conversation")


def messages_of(row: Json) -> list[Any] | None:
    """Return the row's messages, under whichever of their names it has."""
    for name in MESSAGES:
        found = row.get(name)
        if isinstance(found, list) and found and all(isinstance(one, dict) for one in found) and _is_chat(found):
            return found
    return None


def _is_chat(messages: list[Json]) -> bool:
    return all(str(one.get("role")) in ROLES for one in messages)


def _uses_tools(messages: list[Json]) -> bool:
    return any(one.get("tool_calls") or one.get("role") in ("tool", "function") for one in messages)


def _blocks(messages: list[Json]) -> bool:
    kinds = {"tool_use", "tool_result", "thinking", "redacted_thinking"}
    parts = [part for one in messages if isinstance(one.get("content"), list) for part in one["content"]]
    return any(isinstance(part, dict) and str(part.get("type")) in kinds for part in parts)


def _openai_marks(row: Json) -> int:
    messages = messages_of(row)
    if messages is None or "step_labels" in row:
        return 0
    return 3 if _uses_tools(messages) or "traj" in row else 0


def _openai(row: Json) -> Run:
    messages = messages_of(row)
    if messages is None:
        raise NoRun("messages", list(row), "Give `messages`: a list of objects with role and content.")
    steps = steps_of_messages(messages, "openai_chat")
    reward = row.get("reward")
    task = row.get("task_id", row.get("id", ""))
    trial = row.get("trial")
    return Run(
        task=_asked(row) or first_task(steps),
        steps=steps,
        problem_id=str(task),
        source="tau-bench" if "traj" in row else "openai_chat",
        generator=str(row.get("model") or ""),
        outcome="ungraded" if reward is None else ("correct" if reward == 1 else "wrong"),
        metadata={"trial": trial, "reward": reward, "tools": row.get("tools")},
    )


def _asked(row: Json) -> str:
    info = row.get("info")
    task = info.get("task") if isinstance(info, dict) else None
    said = task.get("instruction") if isinstance(task, dict) else row.get("task")
    return said if isinstance(said, str) else ""


OPENAI = run_format(
    _openai,
    name="openai_chat",
    title="Chat messages with tool calls",
    means="Runs as OpenAI's chat messages: roles, tool calls, results by their ids. Also tau-bench's records.",
    looks_like="`messages` (or `traj`) with `tool_calls` or messages of the role tool.",
    sniff=_openai_marks,
)


def _anthropic_marks(row: Json) -> int:
    if "claude_events" in row or "managed_events" in row:
        return 9
    if isinstance(row.get("body"), str) and "status" in row and '"type":"message' in row["body"].replace(" ", ""):
        return 5
    if row.get("type") == "message" and row.get("role") == "assistant" and isinstance(row.get("content"), list):
        return 4
    messages = messages_of(row)
    return 4 if messages is not None and "step_labels" not in row and _blocks(messages) else 0


def _anthropic(row: Json) -> Run:
    if "claude_events" in row:
        return _session(row["claude_events"])
    if "managed_events" in row:
        return _managed(row["managed_events"])
    if isinstance(row.get("body"), str):
        row = _response(row["body"])
    messages = messages_of(row) or [row]
    steps = steps_of_messages(messages, "anthropic")
    system = row.get("system")
    if system:
        steps = [*steps_of_messages([{"role": "system", "content": system}], "anthropic", at=-1), *steps]
    return Run(
        first_task(steps),
        steps,
        str(row.get("id") or ""),
        "anthropic",
        str(row.get("model") or ""),
        metadata={"tools": row.get("tools"), "stop_reason": row.get("stop_reason")},
    )


def _response(body: str) -> Json:
    """Return a recorded answer: one JSON object, or the events of a stream, joined."""
    if not body.lstrip().startswith("event:"):
        found: Json = orjson.loads(body)
        return found
    message: Json = {}
    for event in _events(body):
        if event.get("type") == "message_start":
            message = {**event["message"], "content": []}
        elif event.get("type") == "content_block_start":
            message["content"].append({**event["content_block"], "partial": ""})
        elif event.get("type") == "content_block_delta":
            _join(message["content"][event["index"]], event["delta"])
    for block in message.get("content", []):
        partial = block.pop("partial", "")
        if partial:
            block["input"] = partial
    return message


def _events(body: str) -> Iterator[Json]:
    for line in body.splitlines():
        if line.startswith("data:"):
            yield orjson.loads(line[5:])


def _join(block: Json, delta: Json) -> None:
    for name in ("text", "thinking"):
        if name in delta:
            block[name] = block.get(name, "") + delta[name]
    block["partial"] += delta.get("partial_json", "")


def _session(events: list[Json]) -> Run:
    """Read a session of Claude Code, or the stream of its SDK. Tool results are in messages of the user."""
    messages: list[Json] = []
    nested: dict[Any, list[Json]] = {}
    for event in events:
        if not isinstance(message := event.get("message"), dict) or "content" not in message:
            continue
        said = {"role": message.get("role") or event.get("type"), "content": message["content"]}
        said["timestamp"] = event.get("timestamp")
        parent = event.get("parent_tool_use_id")
        (nested.setdefault(parent, []) if parent else messages).append(said)
    steps = steps_of_messages(messages, "anthropic")
    for step in steps:
        if step.get("call_id") in nested and step["kind"] != "observation":
            step["nested"] = steps_of_messages(nested[step["call_id"]], "anthropic")
    model = next((event["message"].get("model") for event in events if _has_model(event)), "")
    first = events[0]
    ident = str(first.get("sessionId") or first.get("session_id") or "")
    return Run(first_task(steps), steps, ident, "claude_code", str(model or ""))


def _has_model(event: Json) -> bool:
    return isinstance(event.get("message"), dict) and bool(event["message"].get("model"))


MANAGED = {"user.message": "user", "agent.message": "assistant", "agent.thinking": "assistant"}


def _managed(events: list[Json]) -> Run:
    """Read events of a managed agent. The same event may appear twice, as sent and as streamed."""
    steps: list[Json] = []
    for place, event in enumerate(events):
        kind = str(event.get("type", ""))
        ref = {"format": "anthropic", "event_id": event.get("id", "")}
        if kind in MANAGED and event.get("id"):
            message = {"role": MANAGED[kind], "content": event.get("content"), "timestamp": event.get("processed_at")}
        elif kind.endswith("tool_use") and event.get("id"):
            block = {"type": "tool_use", **{name: event.get(name) for name in ("id", "name", "input")}}
            message = {"role": "assistant", "content": [block], "timestamp": event.get("processed_at")}
        elif kind.endswith("tool_result") and event.get("id"):
            ident = event.get("custom_tool_use_id") or event.get("tool_use_id")
            block = {"type": "tool_result", "tool_use_id": ident, "content": event.get("content")}
            message = {"role": "user", "content": [{**block, "is_error": event.get("is_error")}]}
        else:
            continue
        steps += [{**step, "source_ref": ref} for step in steps_of_messages([message], "anthropic", turn=place)]
    return Run(first_task(steps), steps, "", "anthropic_managed")


ANTHROPIC = run_format(
    _anthropic,
    name="anthropic",
    title="Anthropic content blocks",
    means="Messages with thinking, tool_use and tool_result blocks; sessions of Claude Code and its SDK.",
    looks_like="`messages` with content blocks, a recorded answer, or the events of a session.",
    sniff=_anthropic_marks,
)
