"""What is meant to answer otherwise than version 0.1.0 did: one line for each difference, and nothing else may differ.

Patterns are regular expressions over the whole old path, without `/api` and what follows a `?`. A key counts at any
depth of the answer.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

Json = Any


class Renamed(NamedTuple):
    """In answers of `where`, what was called `old` is called `new`: a key, or a value where it stands alone."""

    where: str
    old: str
    new: str


class Named(NamedTuple):
    """A key in answers of `where`."""

    where: str
    key: str


def verdict_counts(row: dict[str, Any]) -> dict[str, Any]:
    """A neutral row whose first error is its label's verdict: none under bad_problem and give_up, "no error" (-1) under
    a confirmed solution; ratings stay as typed. The row of an alternative speaks of that alternative, as ever."""
    if "alternative_at_step" in row["label"]:
        return row
    finish = row["label"]["finish_reason"]
    verdict = {"found_error": row["first_error"], "solution": -1}.get(finish)
    return {**row, "first_error": verdict, "verdict": verdict}


# Addresses: a pattern and what takes its place, as re.sub takes them; the first that fits counts.
# Example: (r"/triages\b", "/label_audits")
ADDRESSES: tuple[tuple[str, str], ...] = ()

# Keys. Example: Renamed(r"/triages/.*", "surprise", "surprisal")
KEYS: tuple[Renamed, ...] = ()

# Texts that stand for a thing, as a status does. Example: Renamed(r"/.*/audit", "triage.create", "label_audit.create")
VALUES: tuple[Renamed, ...] = ()

# Headings of CSV files, as keys are. Example: Renamed(r"/triages/.*\.csv", "surprise", "surprisal")
HEADINGS: tuple[Renamed, ...] = ()

# Keys of which the old version said nothing. Example: Named(r"/rounds/\d+", "protocol")
ADDED: tuple[Named, ...] = ()

# Keys that are not said any more, or whose values may be anything.
LEFT_OUT: tuple[Named, ...] = ()

# Objects at any depth: in answers of `where`, what an object of the old version is today. For a change of meaning, as
# that of `first_error` beside `finish_reason`. Example: (r"/projects/\w+/my_labels", verdict_of_summary)
OBJECTS: tuple[tuple[str, Callable[[dict[str, Any]], dict[str, Any]]], ...] = ()

# Rows of exports: by format, what a row of the old version is today. Example: {"neutral": verdict_counts}
ROWS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {}

# Figures that are read from today's rows, where ROWS says that those of a format have changed.
OF_THE_BYTES = ("snapshot_id", "file", "row_hashes")


def address_today(path: str) -> str:
    """Where the question is asked now."""
    for pattern, instead in ADDRESSES:
        found, times = re.subn(pattern, instead, path)
        if times:
            return found
    return path


def expected(path: str, answer: Json) -> Json:
    """What today's version should answer, from what the old one did. `path`: the old one."""
    path = path.removeprefix("/api").split("?")[0]
    keys = {one.old: one.new for one in KEYS if re.fullmatch(one.where, path)}
    values = {one.old: one.new for one in VALUES if re.fullmatch(one.where, path)}
    for where, today in OBJECTS:
        if re.fullmatch(where, path):
            answer = _changed(answer, today)
    answer = _renamed(answer, keys, values)
    if "text" in answer:
        headings = {one.old: one.new for one in HEADINGS if re.fullmatch(one.where, path)}
        answer["text"] = _with_headings(answer["text"], headings)
    return _without(answer, {one.key for one in LEFT_OUT if re.fullmatch(one.where, path)})


def comparable(path: str, answer: Json) -> Json:
    """Today's answer without what the old version could not say. `path`: the old one."""
    path = path.removeprefix("/api").split("?")[0]
    return _without(answer, {one.key for one in (*ADDED, *LEFT_OUT) if re.fullmatch(one.where, path)})


def expected_rows(format: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of an export as today's version should write them."""
    return [ROWS[format](row) for row in rows] if format in ROWS else rows


def _changed(value: Json, today: Callable[[dict[str, Any]], dict[str, Any]]) -> Json:
    if isinstance(value, dict):
        return today({key: _changed(inner, today) for key, inner in value.items()})
    return [_changed(inner, today) for inner in value] if isinstance(value, list) else value


def _renamed(value: Json, keys: dict[str, str], values: dict[str, str]) -> Json:
    if isinstance(value, dict):
        return {keys.get(key, key): _renamed(inner, keys, values) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, keys, values) for inner in value]
    return values.get(value, value) if isinstance(value, str) else value


def _without(value: Json, keys: set[str]) -> Json:
    if isinstance(value, dict):
        return {key: _without(inner, keys) for key, inner in value.items() if key not in keys}
    if isinstance(value, list):
        return [_without(inner, keys) for inner in value]
    return value


def _with_headings(text: str, headings: dict[str, str]) -> str:
    first, newline, rest = text.partition("\r\n")
    return ",".join(headings.get(cell, cell) for cell in first.split(",")) + newline + rest
