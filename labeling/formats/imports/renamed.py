"""Reading third-party rows with `neutral`: keys under other names, and faults reported under the file's names."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.imports import neutral
from labeling.formats.imports.import_format import Json, Parsed

FIRST_WORD = re.compile(r"\w+")


def read_renamed(
    row: Json, line: int, names: Mapping[str, str], *, used: Iterable[str] = (), given: Json | None = None
) -> Parsed:
    """Return the problem and the trace of a row, or every fault in it.

    `names`: keys of `neutral`, and what the file calls them. `given`: values that the format supplies if the row has
    none. Keys in `used` were read by the caller; all others stay as `neutral` keeps them.
    """
    theirs = {*names.values(), *used}
    rest = {key: value for key, value in row.items() if key not in theirs}
    both = [key for key in names if key in rest]
    for key in both:
        del rest[key]
    taken = {ours: row[name] for ours, name in names.items() if name in row}
    parsed, found = neutral.parse({**(given or {}), **rest, **taken}, line)
    faults = [*(_said_twice(key, names[key], row, line) for key in both), *(under(fault, names) for fault in found)]
    return (None, faults) if faults else (parsed, [])


def under(fault: Fault, names: Mapping[str, str]) -> Fault:
    """Return a fault of the neutral format under the key that the file uses."""
    word = FIRST_WORD.match(fault.field)
    if word is None or word.group() not in names:
        return fault
    ours, theirs = word.group(), names[word.group()]
    return Fault(fault.kind, fault.line, theirs + fault.field[len(ours) :], fault.found, _said(fault.do, ours, theirs))


def inside(faults: Iterable[Fault], place: str) -> list[Fault]:
    """Return faults of a part of a row with the path to that part."""
    return [
        Fault(one.kind, one.line, f"{place}.{one.field}" if one.field else place, one.found, one.do) for one in faults
    ]


def _said(do: str, ours: str, theirs: str) -> str:
    return do.replace(f"`{ours}`", f"`{theirs}`")


def _said_twice(key: str, theirs: str, row: dict[str, Any], line: int) -> Fault:
    do = f"Import the file as Traces, or remove `{key}`: in this format the key is `{theirs}`."
    return Fault("unexpected_key", line, key, shown(row[key]), do)
