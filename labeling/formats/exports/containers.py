"""What the rows of an export are put into, and what their columns hold where the container asks for it."""

from typing import NamedTuple

Columns = dict[str, "Column"]
# A scalar, a list of one kind of value, or an object with columns of its own.
Column = str | list["Column"] | Columns

TEXT = "text"
WHOLE = "whole number"
NUMBER = "number"
YES_NO = "true or false"
FURTHER_KEYS = "further_keys"  # a column of JSON text, for the keys of a row that no other column has


class Container(NamedTuple):
    """A kind of file: its name's ending and content type, and what speaks for it."""

    name: str
    title: str
    means: str
    ending: str
    content_type: str


JSON_LINES = Container(
    "json_lines",
    "JSON lines",
    "A row a line, to be read by anything.",
    ".jsonl",
    "application/x-ndjson",
)
PARQUET = Container(
    "parquet",
    "Parquet",
    "A table whose columns have types, the same in every export of the format: nothing to guess when it is loaded.",
    ".parquet",
    "application/vnd.apache.parquet",
)
CONTAINERS = {container.name: container for container in (JSON_LINES, PARQUET)}
