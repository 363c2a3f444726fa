"""Checks on a row that several import formats share."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import orjson

from labeling.formats.faults import Fault, json_type, shown

STEP_LIMIT = 2000
PYTHONS_LIST = re.compile(r"\s*\[[-\d.,\s]*(['\"]|(True|False|None|nan)\b)")


def step_faults(steps: Sequence[Any], line: int, path: str) -> Iterator[Fault]:
    """Yield faults of a list of steps: no steps, too many steps, a step that is not text, or blank text."""
    if not steps:
        yield Fault("no_steps", line, path, "an empty list", "Leave the row out, or add its steps.")
    elif len(steps) > STEP_LIMIT:
        do = f"A trace may have at most {STEP_LIMIT:,} steps: nobody can label more. Leave it out, or merge its steps."
        yield Fault("too_many_steps", line, path, f"{len(steps):,} steps", do)
    for index, step in enumerate(steps):
        if not isinstance(step, str):
            found = json_type(step)
            yield Fault("wrong_type", line, f"{path}[{index}]", found, "Expected text.")
        elif not step or step.isspace():
            do = "Remove the empty step, or merge it with the previous one."
            yield Fault("empty_step", line, f"{path}[{index}]", repr(step)[:20], do)


def wrong_type(row: dict[str, Any], name: str, line: int, expected: str) -> Fault:
    """Return the fault of a key that is missing or has a type that the format does not expect."""
    if name not in row:
        return Fault("missing_field", line, name, "nothing", f"Add `{name}`: {expected}.")
    value = row[name]
    constant = value is None or isinstance(value, bool)
    found = shown(value) if constant else shown(f"{json_type(value)}: {shown(value)}")
    return Fault("wrong_type", line, name, found, f"Expected {expected}.{way_out_of_python(value, name)}")


def way_out_of_python(value: Any, name: str) -> str:
    """Return a further sentence if the value is a Python list as text, as pandas writes into tables; else an empty
    text.
    """
    if not isinstance(value, str) or not PYTHONS_LIST.match(value):
        return ""
    with suppress(orjson.JSONDecodeError):
        orjson.loads(value)
        return ""
    column = f'df["{name}"]'
    return f" This is a Python list, but a cell must be JSON. Before to_csv: {column} = {column}.map(json.dumps)"


def whole_number(value: Any) -> Any:
    """Return a float without a fraction as an integer: pandas writes 1.0 if other values of the column are missing."""
    return int(value) if type(value) is float and value.is_integer() else value
