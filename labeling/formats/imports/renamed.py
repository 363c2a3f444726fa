"""Rows of other people's formats read as `neutral` reads them: keys under other names, faults told under the file's."""

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
    """The problem and the trace of a row, or every fault in it.

    `names`: a key of `neutral` and what the file calls it. `given`: what the format itself says, where the row does
    not. Keys in `used` were read by the caller; all others stay as `neutral` keeps them.
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
    """A fault of the neutral format, told under the key that the file has."""
    word = FIRST_WORD.match(fault.field)
    if word is None or word.group() not in names:
        return fault
    ours, theirs = word.group(), names[word.group()]
    return Fault(fault.kind, fault.line, theirs + fault.field[len(ours) :], fault.found, _said(fault.do, ours, theirs))


def inside(faults: Iterable[Fault], place: str) -> list[Fault]:
    """Faults of a part of a row, told with the place of that part."""
    return [
        Fault(one.kind, one.line, f"{place}.{one.field}" if one.field else place, one.found, one.do) for one in faults
    ]


def _said(do: str, ours: str, theirs: str) -> str:
    return do.replace(f"`{ours}`", f"`{theirs}`")


def _said_twice(key: str, theirs: str, row: dict[str, Any], line: int) -> Fault:
    do = f"Import the file as Traces, or remove `{key}`: in this format the key is `{theirs}`."
    return Fault("unexpected_key", line, key, shown(row[key]), do)
