"""Detection of a file's import format from its first row."""

from labeling.formats.faults import Fault, shown
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.import_format import ImportFormat, Json, named
from labeling.formats.imports.others import fault_of, other_format_of

CERTAIN = 3  # marks that no other format has
PROBLEM = frozenset(("problem", "question"))
NAMED = 12  # columns


def format_of(row: Json) -> ImportFormat:
    """Return the format with the most marks in a row; of several, the first in the registry."""
    return max(IMPORT_FORMATS.values(), key=lambda format: format.sniff(row))


def not_ours(row: Json, line: int, asked: ImportFormat | None) -> Fault | None:
    """Return the one fault of a file whose first row is of a third-party or unknown format.

    None if the format is supported, or if somebody asked for a format that fits the row.
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
