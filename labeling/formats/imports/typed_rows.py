"""Typed steps of a run in a neutral row: a list, or as an export writes it, JSON in a text (columns keep one type)."""

from collections.abc import Iterator
from typing import Any

import orjson

from labeling.formats.faults import Fault, shown
from labeling.formats.typed_steps import KINDS

TYPED = "typed_steps"


def typed_of(row: dict[str, Any]) -> Any:
    """The typed steps of a row, or what stands there instead."""
    value = row.get(TYPED)
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def typed_faults(typed: Any, steps: int, line: int) -> Iterator[Fault]:
    """What keeps them from being the steps of a run whose rated units are the row's `steps`."""
    if not isinstance(typed, list):
        yield Fault("wrong_type", line, TYPED, shown(typed), "Give a list of objects, or leave the key out.")
        return
    units = set()
    for place, step in enumerate(typed):
        if not isinstance(step, dict) or step.get("kind") not in KINDS or not isinstance(step.get("actor"), str):
            do = f"A typed step has actor, text and a kind: {', '.join(KINDS)}."
            yield Fault("wrong_type", line, f"{TYPED}[{place}]", shown(step), do)
            return
        if not isinstance(step.get("text"), str):
            yield Fault("wrong_type", line, f"{TYPED}[{place}].text", shown(step.get("text")), "Expected a text.")
            return
        units.add(step.get("unit"))
    if {unit for unit in units if unit is not None} != set(range(steps)):
        do = "Each of `steps` is a unit of `typed_steps`, and counts from 0 there."
        yield Fault("units_do_not_match_steps", line, TYPED, f"{steps} steps", do)
