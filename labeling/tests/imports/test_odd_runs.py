"""Files of runs with one value replaced: each is read, or a fault says what is odd, and nothing raises."""

import io
import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from labeling.formats.detection import format_of
from labeling.formats.imports.agents.files import run_rows
from labeling.formats.typed_steps import shown_steps

ODD: list[Any] = [None, True, -1, 0.5, "", "x", [], [None], [[]], {}, [{}], {"a": None}, {"type": ["text"]}]
CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "ls"}'}}
CHAT = {
    "messages": [
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}], "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
    ]
}
INNER = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s2",
    "steps": [{"step_id": 1, "source": "agent", "message": "No."}],
}
RESULT = {"source_call_id": "c1", "content": "a.py", "subagent_trajectory_ref": [{"session_id": "s2"}]}
ATIF = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s1",
    "agent": {"name": "one", "version": "1", "model_name": "m"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Mend it.", "timestamp": "2026-01-01T00:00:00Z"},
        {
            "step_id": 2,
            "source": "agent",
            "message": "I look.",
            "reasoning_content": "Where?",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}],
            "observation": {"results": [RESULT]},
            "metrics": {"completion_tokens": 4},
        },
    ],
    "subagent_trajectories": [INNER],
}
SMITH = {
    "post": [
        {
            "id": "r1",
            "trace_id": "r1",
            "run_type": "llm",
            "dotted_order": "1",
            "inputs": {"messages": [{"role": "user", "content": "Mend it."}]},
            "extra": {"metadata": {"ls_model_name": "m"}},
        }
    ],
    "patch": [{"id": "r1", "outputs": {"messages": [{"role": "assistant", "content": "Done."}]}}],
}
TEXTS = ("kind", "actor", "name", "text", "tail", "tool", "call_id", "t_start", "t_end")


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each nested value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield (*at, key)
        yield from places(one, (*at, key))


def changed(row: dict[str, Any], place: tuple[Any, ...], odd: Any) -> bytes:
    """Return the file with this value there."""
    row = deepcopy(row)
    inside: Any = row
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = odd
    return json.dumps(row).encode()


def shapes(steps: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Return the parts that a page could not show."""
    for step in shown_steps(steps):
        yield from ((name, step[name]) for name in TEXTS if name in step and not isinstance(step[name], str))
        if type(step.get("tokens", 0)) is not int:
            yield "tokens", step["tokens"]
        yield from shapes(step.get("nested", []))


def test_a_run_with_an_odd_value_anywhere_is_read_or_named_and_can_be_shown():
    read = 0
    for row in (CHAT, ATIF, SMITH):
        for place in places(row):
            for odd in ODD:
                for line in run_rows(io.BytesIO(changed(row, place, odd))):
                    assert line.row is not None, (place, odd, line.fault)
                    format_ = format_of(line.row)
                    parsed, faults = format_.parse(line.row, line.number)
                    assert parsed or faults, (place, odd)
                    typed = [one.trace.typed for one in parsed if one.trace and one.trace.typed]
                    read += len(typed)
                    assert [list(shapes(steps)) for steps in typed if list(shapes(steps))] == [], (place, odd)
    assert read > 500, "most of them are still runs"
