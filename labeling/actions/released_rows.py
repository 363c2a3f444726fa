"""From a row of a released file back to the labels it was made from."""

import hashlib
import re
from itertools import groupby
from typing import Any, NamedTuple

import orjson

from labeling import queries
from labeling.actions.export_file import HASH_LINE, hashes_path
from labeling.actions.exports import config_of, container_of, finished_file, format_of
from labeling.actions.release_folder import data_paths, opened_rows
from labeling.errors import InvalidFields, NotFound, NotInRelease
from labeling.formats.exports.containers import JSON_LINES
from labeling.formats.exports.export_format import KEYS
from labeling.models import Export, Release, User
from labeling.queries.held_labels import refuse_holder

SHA256 = re.compile(r"[0-9a-fA-F]{64}")
NUMBER = re.compile(r"[0-9]{1,12}")


class FoundRow(NamedTuple):
    """A row's number, counted from 1, and the labels it was made from. `file`: its path in the folder."""

    export: Export
    file: str
    number: int
    labels: list[int]


def find_row(release: Release, reader: User, row: str, file: str = "") -> FoundRow:
    """Find a row by its content (JSON in any spelling), its line's SHA-256 in hex, or its number. Looks in one file of
    the release (`data/neutral-train.jsonl`, or without the folder), or returns the first match in any.

    Raises InvalidFields (file), NotInRelease, LabelHeld.
    """
    row = row.strip()
    for export, path in _files(release, file):
        number = int(row) - 1 if NUMBER.fullmatch(row) else _place(export, row)
        if number is not None and 0 <= number < export.rows:
            found = FoundRow(export, path, number + 1, labels_of_row(export, number))
            _refuse_holder(found, reader)
            return found
    raise NotInRelease(f"No row like that is in {file or 'this release'}. Paste it whole, or give its number and file.")


def _files(release: Release, file: str) -> list[tuple[Export, str]]:
    exports = queries.releases.exports_in(release)
    paths = data_paths(release, exports)
    found = [
        (export, path)
        for export, path in zip(exports, paths, strict=True)
        if not file or file in (path, path.rpartition("/")[2])
    ]
    if not found:
        raise InvalidFields(fields={"file": [f"The release has no such file. It has {', '.join(paths)}."]})
    return found


def places_of(release: Release, label: int) -> list[tuple[str, int | None]]:
    """Return the files with a label, and its row, from 1. None: rows are made of several labels, or parts of one."""
    exports = queries.releases.exports_in(release)
    found = []
    for export, path in zip(exports, data_paths(release, exports), strict=True):
        ids = queries.exports.frozen_ids(export)
        if label in ids:
            number = _number_of(export, ids, label) if format_of(export).group == "label" else None
            found.append((path, number))
    return found


def _number_of(export: Export, ids: Any, label: int) -> int | None:
    ordered, _ = queries.exports.in_file_order(ids, format_of(export).group, format_of(export).chunk)
    return ordered.index(label) + 1 if export.rows == len(ordered) else None


def labels_of_row(export: Export, number: int) -> list[int]:
    """Return the labels of the row at this position, from 0. If each label is a row, only the ids are read. Otherwise
    rows are made again up to this one.
    """
    format, switches = format_of(export), config_of(export).switches
    ids, ends = queries.exports.in_file_order(queries.exports.frozen_ids(export), format.group, format.chunk)
    if format.group == "label" and export.rows == len(ids):
        return [ids[number]]
    seen = 0
    read = {"remarks": format.remarks, "rollouts": format.rollouts}  # what the rows were made with
    for _, labels in queries.exports.chunks_to_write(export.project, ids, ends, 0, **read):
        for _, group in groupby(labels, key=KEYS[format.group]):
            made_from = list(group)
            seen += len(format.rows(made_from, switches))
            if number < seen:
                return [label.id for label in made_from]
    raise NotFound


def _place(export: Export, row: str) -> int | None:
    """Return a row's position: by a line's hash in the list next to the file, or else by its content."""
    if SHA256.fullmatch(row):
        return _place_of_hash(export, row.lower())
    try:
        said = orjson.loads(row)
    except ValueError:
        return None
    place = _place_of_hash(export, hashlib.sha256(line := orjson.dumps(said)).hexdigest())
    return place if place is not None else _place_of_content(export, said, len(line))


def _place_of_hash(export: Export, digest: str) -> int | None:
    wanted = digest.encode() + b"\n"
    with hashes_path(finished_file(export)).open("rb") as file:
        lines = iter(lambda: file.read(HASH_LINE), b"")
        return next((place for place, line in enumerate(lines) if line == wanted), None)


def _place_of_content(export: Export, said: Any, length: int) -> int | None:
    """Find a row with its keys in another order, which has the same length. Not in tables: their rows are not text."""
    if container_of(export) is not JSON_LINES:
        return None
    with opened_rows(export) as rows:
        same = (place for place, row in enumerate(rows) if len(row) == length + 1 and orjson.loads(row) == said)
        return next(same, None)


def _refuse_holder(found: FoundRow, reader: User) -> None:
    for label in queries.releases.labels_with_traces(found.labels):
        refuse_holder(reader, label.task.trace)
