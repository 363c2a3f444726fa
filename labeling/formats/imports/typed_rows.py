"""Typed steps of a run in a neutral row: a list or, as exports write it, JSON as text (columns keep one type)."""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from labeling.count_words import count_of
from labeling.formats.faults import Fault, shown
from labeling.formats.reading import faults_of_extras
from labeling.formats.typed_steps import KINDS

TYPED = "typed_steps"


def typed_of(row: dict[str, Any]) -> Any:
    """Return the typed steps of a row, or whatever is in their place."""
    value = row.get(TYPED)
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def typed_faults(typed: Any, steps: int, line: int) -> Iterator[Fault]:
    """Yield faults if these cannot be the steps of a run whose rated units are the row's `steps`."""
    if not isinstance(typed, list):
        yield Fault("wrong_type", line, TYPED, shown(typed), "Give a list of objects, or leave the key out.")
        return
    if found := faults_of_extras({TYPED: typed}, line):
        yield from found
        return
    units = set()
    for place, step in enumerate(typed):
        if not isinstance(step, dict) or step.get("kind") not in KINDS or not isinstance(step.get("actor"), str):
            do = f"A typed step needs actor, text and one of these kinds: {', '.join(KINDS)}."
            yield Fault("wrong_type", line, f"{TYPED}[{place}]", shown(step), do)
            return
        if not isinstance(step.get("text"), str):
            yield Fault("wrong_type", line, f"{TYPED}[{place}].text", shown(step.get("text")), "Expected text.")
            return
        if (wrong := _wrong_part(step)) is not None:
            do = "Write it as an export does, or leave the key out if there is none."
            yield Fault("wrong_type", line, f"{TYPED}[{place}].{wrong}", shown(step[wrong]), do)
            return
        units.add(step.get("unit"))
    if {unit for unit in units if unit is not None} != set(range(steps)):
        do = "Each of `steps` must be a unit of `typed_steps`, numbered from 0 there."
        yield Fault("units_do_not_match_steps", line, TYPED, count_of(steps, "step"), do)


def _wrong_part(step: dict[str, Any]) -> str | None:
    """Return a part of a step, or of one nested in it, that the page could not show; None if all fit."""
    for name, fits in (
        ("images", _are_images),
        ("table", _is_table),
        ("executed", _is_executed),
        ("nested", _are_steps),
    ):
        if name in step and not fits(step[name]):
            return name
    return None


def _are_images(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and re.fullmatch(r"[0-9a-f]{64}", str(one.get("sha256")))
        and isinstance(one.get("type"), str)
        and all(type(one.get(name)) is int for name in ("width", "height"))
        for one in value
    )


def _is_table(value: Any) -> bool:
    rows = (
        [value.get("columns"), *value["rows"]]
        if isinstance(value, dict) and isinstance(value.get("rows"), list)
        else [0]
    )
    return all(isinstance(row, list) and all(isinstance(cell, str) for cell in row) for row in rows)


def _is_executed(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("passed") not in (None, True, False):
        return False
    states = value.get("states", [])
    told = isinstance(states, list) and all(
        isinstance(one, dict) and type(one.get("line")) is int and isinstance(one.get("text"), str) for one in states
    )
    texts = all(isinstance(value.get(name), str) for name in ("input", "expected", "output", "error"))
    return told and texts and type(value.get("line", 0)) is int


def _are_steps(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and one.get("kind") in KINDS
        and all(isinstance(one.get(name), str) for name in ("actor", "text"))
        and _wrong_part(one) is None
        for one in value
    )
