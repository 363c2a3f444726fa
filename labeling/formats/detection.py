"""Detects a file's import format from its first row."""

from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.import_format import ImportFormat, Json
from labeling.formats.imports.others import OtherFormat, other_format_of


def format_of(row: Json) -> ImportFormat:
    """The format most of whose marks a row bears; where several have as many, the first of the registry."""
    return max(IMPORT_FORMATS.values(), key=lambda format: format.sniff(row))


def not_ours(row: Json, asked: ImportFormat | None) -> OtherFormat | None:
    """The format of other people that a file's first row is of; None where somebody asked for one of ours that fits."""
    if asked is not None and asked.sniff(row) or format_of(row).runs:
        return None
    return other_format_of(row)
