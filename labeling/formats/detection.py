"""Detects a file's import format from its first row."""

from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.import_format import ImportFormat, Json


def format_of(row: Json) -> ImportFormat:
    """The format most of whose marks a row bears; where several have as many, the first of the registry."""
    return max(IMPORT_FORMATS.values(), key=lambda format: format.sniff(row))
