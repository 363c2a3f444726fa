"""Compares today's answers with those of an old version. The intended differences are in since_v*.py.

Patterns are regular expressions over the whole old path, without `/api` and without the query. A key matches at any
depth of the answer.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Json = Any
Changed = Callable[[dict[str, Any]], dict[str, Any]]
ANYTHING = "(anything)"  # equals any value
NO_LINE = re.compile(r"(?!)")


class Renamed(NamedTuple):
    """The name `new`, in answers of `where`, for what was called `old`: a key, or a whole value."""

    where: str
    old: str
    new: str


class Named(NamedTuple):
    """A key in answers of `where`."""

    where: str
    key: str


@dataclass(frozen=True)
class NoLess:
    """A value that equals this number and any greater one."""

    number: float


def time_of_all_versions(said: dict[str, Any]) -> dict[str, Any]:
    """A revised label's time, and its labeler's, now includes its earlier versions: quality/test_haste.py."""
    if said.get("supersedes", True) is None:
        return said
    times = [name for name in ("active_ms", "seconds_a_step") if isinstance(said.get(name), (int, float))]
    return {**said, **{name: NoLess(said[name]) for name in times}}


def interval_of_today(said: dict[str, Any]) -> dict[str, Any]:
    """The figure is unchanged, but its interval may differ or be missing: metrics/test_intervals_everywhere.py."""
    return {**said, "low": ANYTHING, "high": ANYTHING} if {"low", "high"} <= said.keys() else said


# Columns of CSV files: ends of intervals, and the times of `time_of_all_versions` in JSON.
OF_TODAY = re.compile(r"(^|[_ ])(low|high)$|^(active hours|seconds a step)$")
# Figures computed from the rows, which have changed in every format.
OF_THE_BYTES = ("snapshot_id", "file", "row_hashes")


@dataclass(frozen=True)
class Differences:
    """The intended differences since one version. since_v0_1_0.py has examples of each kind."""

    added: tuple[Named, ...]  # keys that the old version did not have
    left_out: tuple[Named, ...] = ()  # keys that no longer exist, or whose values may be anything
    addresses: tuple[tuple[str, str], ...] = ()
    keys: tuple[Renamed, ...] = ()
    values: tuple[Renamed, ...] = ()
    headings: tuple[Renamed, ...] = ()
    objects: tuple[tuple[str, Changed], ...] = ()
    rows: Mapping[str, Callable[[dict[str, Any], dict[str, str]], dict[str, Any]]] = field(default_factory=dict)
    lines_added: tuple[str, ...] = ()
    lines_of_today: re.Pattern[str] = NO_LINE
    columns_added: tuple[Named, ...] = ()  # of CSV files, after all columns of the old version

    def address_today(self, path: str) -> str:
        """Return today's address for the question."""
        for pattern, instead in self.addresses:
            found, times = re.subn(pattern, instead, path)
            if times:
                return found
        return path

    def expected(self, path: str, answer: Json) -> Json:
        """Return what today's version should answer, given the old answer. `path`: the old one."""
        path = _plain(path)
        keys = {one.old: one.new for one in self.keys if re.fullmatch(one.where, path)}
        values = {one.old: one.new for one in self.values if re.fullmatch(one.where, path)}
        for where, today in self.objects:
            if re.fullmatch(where, path):
                answer = _changed(answer, today)
        answer = _renamed(answer, keys, values)
        if "text" in answer:
            headings = {one.old: one.new for one in self.headings if re.fullmatch(one.where, path)}
            answer["text"] = self._with_intervals_of_today(_with_headings(answer["text"], headings))
        return _without(answer, _named(self.left_out, path))

    def comparable(self, path: str, answer: Json, expected: Json) -> Json:
        """Return today's answer without what the old version could not contain and did not. `path`: the old one."""
        path = _plain(path)
        found = _without(answer, _named(self.left_out, path))
        found = _without_news(found, expected, _named(self.added, path))
        if "text" in found:
            lines = _without_columns(found["text"], expected.get("text", ""), _named(self.columns_added, path)).split(
                "\r\n"
            )
            found["text"] = "\r\n".join(line for line in lines if not line.startswith(self.lines_added or ("\0",)))
        return found

    def expected_rows(self, format: str, rows: list[dict[str, Any]], switches: dict[str, str]) -> list[dict[str, Any]]:
        """Return the rows of an export with these switches as today's version should write them."""
        today = [self.rows[format](row, switches) for row in rows] if format in self.rows else rows
        if format != "neutral":
            return today
        keys = dict.fromkeys(key for row in today for key in row)
        return in_one_order([{**keys, **row} for row in today])

    def _with_intervals_of_today(self, text: str) -> str:
        """Return a CSV file in which columns of today may have any value."""
        first, *lines = text.split("\r\n")
        ends = {place for place, name in enumerate(first.split(",")) if OF_TODAY.search(name)}
        told = [
            ",".join(
                ANYTHING if at in ends or (at > 1 and self.lines_of_today.match(line)) else cell for at, cell in cells
            )
            for line in lines
            for cells in [enumerate(line.split(","))]
        ]
        return "\r\n".join([first, *told])


def in_one_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return neutral rows sorted by content: today, rows that show the types of the keys come first in a file."""

    def about(row: dict[str, Any]) -> list[str]:
        label = row["label"]
        told = [label[name] for name in ("submitted_at", "labeler", "round", "finish_reason", "alternative_at_step")]
        return [str(value) for value in (*told, row["problem"], row["generator"], row["final_answer"])]

    return sorted(rows, key=about)


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


def _without_news(value: Json, before: Json, keys: set[str]) -> Json:
    """Return it without those keys, at any depth, unless the old answer has a key of that name."""
    if isinstance(value, dict):
        known = before if isinstance(before, dict) else {}
        told = {key: inner for key, inner in value.items() if key in known or key not in keys}
        return {key: _without_news(inner, known.get(key), keys) for key, inner in told.items()}
    if isinstance(value, list):
        pairs = before if isinstance(before, list) and len(before) == len(value) else [None] * len(value)
        return [_without_news(inner, one, keys) for inner, one in zip(value, pairs, strict=True)]
    return value


def _without_columns(text: str, before: str, names: set[str]) -> str:
    """Return a CSV file without its last columns, if they have these names and the old file did not have them."""
    known, head = (one.split("\r\n")[0].split(",") for one in (before, text))
    added = [name for name in head[len(known) :] if name in names]
    if not added or head[-len(added) :] != added:
        return text
    return "\r\n".join(",".join(line.split(",")[: -len(added)]) for line in text.split("\r\n"))


def _named(names: tuple[Named, ...], path: str) -> set[str]:
    return {one.key for one in names if re.fullmatch(one.where, path)}


def _plain(path: str) -> str:
    return path.removeprefix("/api").split("?")[0]


def _with_headings(text: str, headings: dict[str, str]) -> str:
    first, newline, rest = text.partition("\r\n")
    return ",".join(headings.get(cell, cell) for cell in first.split(",")) + newline + rest
