"""Detects a file's import format from its first row."""

from labeling.formats.faults import Fault, shown
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.import_format import ImportFormat, Json, named
from labeling.formats.imports.others import fault_of, other_format_of

CERTAIN = 3  # marks of a format that nothing else has
PROBLEM = frozenset(("problem", "question"))
NAMED = 12  # columns


def format_of(row: Json) -> ImportFormat:
    """The format most of whose marks a row bears; where several have as many, the first of the registry."""
    return max(IMPORT_FORMATS.values(), key=lambda format: format.sniff(row))


def not_ours(row: Json, line: int, asked: ImportFormat | None) -> Fault | None:
    """The one fault of a file whose first row is of a format of other people, or of none that is known.

    None where the row is one of ours, or somebody asked for a format that fits it.
    """
    if asked is not None and asked.sniff(row):
        return None
    found = format_of(row)
    if found.sniff(row) >= CERTAIN:
        return None
    if other := other_format_of(row):
        return fault_of(other, line)
    if asked is None and found.sniff(row) == 1 and PROBLEM.isdisjoint(row):
        return _unknown(row, line)
    return None


def _unknown(row: Json, line: int) -> Fault:
    keys = named(list(row)[:NAMED])
    do = (
        "These rows match no known format. Say which column holds the problem, which holds the steps and so on, either"
        " on the page of this import or with --mapping (docs/formats.md)."
    )
    return Fault("unknown_columns", line, "", shown(keys) if keys else "an empty object", do)
