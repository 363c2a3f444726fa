"""From a released row, as somebody holds it in a file, back to the labels that it was made from."""

import hashlib
import re
from itertools import groupby
from typing import NamedTuple

from labeling import queries
from labeling.actions.export_file import HASH_LINE, hashes_path
from labeling.actions.exports import CHUNK, config_of, finished_file, format_of
from labeling.errors import NotFound
from labeling.formats.exports.export_format import KEYS
from labeling.models import Export, Release, User
from labeling.queries.held_labels import refuse_holder

SHA256 = re.compile(r"[0-9a-fA-F]{64}")
NUMBER = re.compile(r"[0-9]{1,12}")


class FoundRow(NamedTuple):
    """Where a row stands, counted from 1, and the labels it was made from."""

    export: Export
    number: int
    labels: list[int]


def find_row(release: Release, reader: User, row: str) -> FoundRow:
    """By the row's line, its SHA-256 in hex, or its number in the first file. Raises NotFound, LabelHeld."""
    row = row.strip()
    for export in queries.releases.exports_in(release):
        number = int(row) - 1 if NUMBER.fullmatch(row) else _place(export, row)
        if number is not None and 0 <= number < export.rows:
            found = FoundRow(export, number + 1, labels_of_row(export, number))
            _refuse_holder(found, reader)
            return found
    raise NotFound


def labels_of_row(export: Export, number: int) -> list[int]:
    """The labels of the row at this place, from 0. Where a label is a row nothing is read but the ids; else rows are
    made again until it comes."""
    format, switches = format_of(export), config_of(export).switches
    ids, ends = queries.exports.in_file_order(queries.exports.frozen_ids(export), format.group, CHUNK)
    if format.group == "label" and export.rows == len(ids):
        return [ids[number]]
    seen = 0
    for _, labels in queries.exports.chunks_to_write(export.project, ids, ends, 0, remarks=False):
        for _, group in groupby(labels, key=KEYS[format.group]):
            made_from = list(group)
            seen += len(format.rows(made_from, switches))
            if number < seen:
                return [label.id for label in made_from]
    raise NotFound


def _place(export: Export, row: str) -> int | None:
    """Where a row's hash stands in the list beside the file."""
    digest = row.lower() if SHA256.fullmatch(row) else hashlib.sha256(row.encode()).hexdigest()
    wanted = digest.encode() + b"\n"
    with hashes_path(finished_file(export)).open("rb") as file:
        lines = iter(lambda: file.read(HASH_LINE), b"")
        return next((place for place, line in enumerate(lines) if line == wanted), None)


def _refuse_holder(found: FoundRow, reader: User) -> None:
    for label in queries.releases.labels_with_traces(found.labels):
        refuse_holder(reader, label.task.trace)
