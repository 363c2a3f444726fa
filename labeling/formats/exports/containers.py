"""The file types of an export, and the types of columns for file types that need them."""

from typing import NamedTuple

Columns = dict[str, "Column"]
# A scalar, a list of one kind of value, or an object with columns of its own.
Column = str | list["Column"] | Columns

TEXT = "text"
WHOLE = "whole number"
NUMBER = "number"
YES_NO = "true or false"
FURTHER_KEYS = "further_keys"  # a column of JSON text for the keys of a row that have no column


class Container(NamedTuple):
    """A file type: its extension, its content type, and what it is good for."""

    name: str
    title: str
    means: str
    ending: str
    content_type: str


JSON_LINES = Container(
    "json_lines",
    "JSON lines",
    "One row per line. Almost every tool can read it.",
    ".jsonl",
    "application/x-ndjson",
)
PARQUET = Container(
    "parquet",
    "Parquet",
    "A table with typed columns, the same in every export of the format. Loaders do not have to guess types.",
    ".parquet",
    "application/vnd.apache.parquet",
)
CONTAINERS = {container.name: container for container in (JSON_LINES, PARQUET)}
