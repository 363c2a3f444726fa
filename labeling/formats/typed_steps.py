"""The typed steps of an agent's trace: what each is, and which are rated together. Pure.

A typed step is a JSON object with `kind` (one of KINDS), `actor` and `text`. Where known, it also has `tool`,
`arguments`, `call_id`, `is_error`, `t_start`, `t_end`, `tokens`, `cut` (the recorder left a part out), `copied`
(context recorded before), `nested` (a sub-agent's steps), `images` and `table` (of what was seen), `executed` (a
recorded run of a program) and `source_ref` (its place in the imported file). Steps with the same `turn` come from one
message. `unit` counts the rated units from 0. Context has `after` instead, the unit that it follows (-1: before the
first).
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson

from labeling.formats.passed_tests import passed_and_failed

Json = dict[str, Any]
KINDS = (*("thought", "plan", "message", "tool_call", "observation", "edit", "test_run", "system", "final", "text"),)
FOLDED_FROM = 6_000  # characters of a text; of a longer one only the head and tail are shown
HEAD, TAIL = 2_400, 1_200
CALLS = frozenset(("tool_call", "edit", "test_run"))
UNITS = ("message", "call")
AGENT = "agent"
AS_GIVEN = "as_given"  # key for arguments that are not an object, in formats where they must be one
EMPTY = "(empty message)"
DECODER = json.JSONDecoder()
MENTIONS = 20  # mentions of a tool before its call in the text of one unit
EDITS = re.compile(r"str_replace|edit|write_file|create_file|apply_patch|insert|^(create|write|patch)$", re.IGNORECASE)
TESTS = re.compile(r"\b(pytest|py\.test|unittest|tox|go test|cargo test|npm (run )?test|jest|vitest|ctest|mvn test)\b")


def kind_of_call(tool: str, arguments: Any) -> str:
    """Return what a call does: an edit, a test run, or anything else."""
    command = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    if TESTS.search(command):
        return "test_run"
    return "edit" if EDITS.search(tool) else "tool_call"


def is_rated(step: Mapping[str, Any]) -> bool:
    """Return whether a step belongs to a rated unit: it is the agent's own and was not recorded before."""
    return step["actor"] == AGENT and step["kind"] not in ("observation", "system") and not step.get("copied")


def text_of(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return a unit as one text, for readers of plain traces and for training."""
    parts = [call_text(step) if step["kind"] in CALLS else step.get("text", "") for step in steps]
    return "\n\n".join(part for part in parts if part.strip()) or EMPTY


def call_text(step: Mapping[str, Any]) -> str:
    """Return a call as one text: the tool's name and the arguments as they were given."""
    arguments = step.get("arguments", "")
    given = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    return f"{step.get('tool', '')}({given})"


def as_written(steps: Sequence[Json], units: Sequence[str]) -> list[Json]:
    """Return the steps with the arguments of rated calls as originally written, taken from the units' texts.

    Postgres (jsonb) orders the keys of a JSON object by their length, so a model trained on that would learn calls that
    no model wrote.
    """
    begun = [0] * len(units)  # how far each unit's text was searched for calls
    return [_as_written(step, units, begun) for step in steps]


def _as_written(step: Json, units: Sequence[str], begun: list[int]) -> Json:
    unit, arguments, call = step.get("unit"), step.get("arguments"), f"{step.get('tool', '')}("
    if unit is None or unit >= len(units) or not isinstance(arguments, dict):
        return step
    at = begun[unit]
    for _ in range(MENTIONS):
        at = units[unit].find(call + "{", at) + len(call)
        if at < len(call):
            break
        with suppress(ValueError):  # words that only look like a call
            found, end = DECODER.raw_decode(units[unit], at)
            if found == arguments:
                begun[unit] = end
                return {**step, "arguments": found}
    return step


def in_units(steps: Sequence[Json], unit: str) -> tuple[list[Json], list[str]]:
    """Return the steps with their units, and each unit's text. `unit`: a message of the agent, or each of its calls."""
    numbered, current, key = [], -1, None
    calls_of: dict[str, int] = {}
    for step in steps:
        step = {name: value for name, value in step.items() if name not in ("unit", "after", "unanswered")}
        if is_rated(step):
            if key is None or _begins(step, key, unit):
                current += 1
            key = (step.get("turn"), step["kind"] in CALLS or (key is not None and key == (step.get("turn"), True)))
            step["unit"] = current
            if step["kind"] in CALLS and step.get("call_id"):
                calls_of[step["call_id"]] = current
        else:
            step["after"] = calls_of.get(step.get("call_id") or "", current)
        numbered.append(step)
    _mark_unanswered(numbered)
    return numbered, [text_of(own) for own in _by_unit(numbered, current + 1)]


def _begins(step: Json, key: tuple[Any, bool], unit: str) -> bool:
    """Return whether a rated step begins a unit. With calls as units, text before the first call belongs to it."""
    turn, called = key
    return bool(step.get("turn") != turn or (unit == "call" and called))


def _by_unit(steps: Sequence[Json], units: int) -> list[list[Json]]:
    found: list[list[Json]] = [[] for _ in range(units)]
    for step in steps:
        if "unit" in step:
            found[step["unit"]].append(step)
    return found


def _mark_unanswered(steps: Sequence[Json]) -> None:
    """Mark calls without a result. A result without an id answers all calls of the unit that it follows."""
    results = [step for step in steps if step["kind"] == "observation" and "after" in step]
    ids = {step["call_id"] for step in results if step.get("call_id")}
    units = {step["after"] for step in results if not step.get("call_id")}
    for step in steps:
        if "unit" in step and step["kind"] in CALLS and step.get("call_id") not in ids and step["unit"] not in units:
            step["unanswered"] = True


def unit_of_turns(steps: Sequence[Json]) -> dict[Any, int]:
    """Return the first unit of each turn."""
    found: dict[Any, int] = {}
    for step in steps:
        if "unit" in step:
            found.setdefault(step.get("turn"), step["unit"])
    return found


def shown_steps(steps: Sequence[Json]) -> list[Json]:
    """Return the steps as labelers get them: long texts folded, and no id by which runs could be told apart."""
    found, ids, waiting = [], set(), False
    for step in steps:
        shown = _shown(step)
        if step["kind"] == "test_run":
            ids.add(step.get("call_id"))
            waiting = True
        elif step["kind"] == "observation" and waiting and step.get("call_id") in {*ids, None}:
            if (tests := passed_and_failed(step.get("text", ""))) is not None:
                shown["tests"] = tests
        elif "unit" in step:
            waiting = bool(ids - {None})
        found.append(shown)
    return found


def _shown(step: Json) -> Json:
    text = step.get("text", "")
    found = {**step, "bytes": len(text.encode()), "lines": text.count("\n") + 1 if text else 0}
    for name in ("source_ref", "turn", "line"):
        found.pop(name, None)
    if len(text) > FOLDED_FROM:
        found |= {"text": text[:HEAD], "tail": text[-TAIL:]}
    if "nested" in step:
        found["nested"] = shown_steps(step["nested"])
    return found
