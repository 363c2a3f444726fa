"""Rows of CSV and TSV as JSON rows: each column is a key, an empty cell is null."""

import csv
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from labeling.count_words import count_of

DELIMITERS = (",", "\t", ";")
# A table with one of these columns is taken for rows of a known kind.
TELLING = frozenset(("problem", "question", "steps", "prompt", "input"))
# Columns whose cells are JSON: lists, numbers, true and false. All other cells are text: "42" may be an answer.
AS_JSON = frozenset(
    (
        *("steps", "step_labels", "first_error", "final_answer_correct", "label", "labels", "completions"),
        *("hard_labels", "soft_labels", "conversations", "modified_process", "error_steps", "chain_of_thoughts"),
        *("solution_steps", "error_labels", "model_output_step_format", "model_output_steps", "hypothesis_steps"),
    )
)
HEAD = 16_384  # bytes by which a table with unknown columns is recognised
MANY_COLUMNS = 100
LONGEST_NAME = 60  # characters of a column's name
CONSTANTS = {"true": True, "false": False, "null": None}


class Record(NamedTuple):
    """A row and the line on which it begins. If `row` is None, `wrong` says why."""

    line: int
    row: dict[str, Any] | None
    wrong: str = ""


def delimiter_of(head: bytes) -> str | None:
    """Return the delimiter of a table whose header is the first line, or None if it is not such a table."""
    header = head.lstrip().split(b"\n", 1)[0].decode(errors="replace").lstrip("\ufeff")
    for delimiter in DELIMITERS:
        names = {name.strip().strip('"').lower() for name in header.split(delimiter)}
        if len(names) > 1 and names & TELLING:
            return delimiter
    return next((delimiter for delimiter in DELIMITERS if _is_table(head[:HEAD], delimiter)), None)


def _is_table(head: bytes, delimiter: str) -> bool:
    """Return whether the first line names columns and the row below it has a cell for each."""
    reader = csv.reader(io.StringIO(head.decode(errors="replace").lstrip("\ufeff"), newline=""), delimiter=delimiter)
    try:
        names, row = [name.strip() for name in next(reader, [])], next(reader, [])
    except csv.Error:
        return False
    told = len(names) > 1 and len(set(names)) == len(names) and all(0 < len(name) <= LONGEST_NAME for name in names)
    return told and len(row) == len(names)


def csv_rows(stream: Any, delimiter: str, limit: int) -> Iterator[Record]:
    """Yield the rows below the header. `limit`: the maximum characters of a row; reading ends at a row that
    exceeds it."""
    csv.field_size_limit(limit)
    lines = Lines(stream, limit)
    reader = csv.reader(lines, delimiter=delimiter)
    begins = 1
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise csv.Error(f"two columns are called {twice[0]!r}, and a row can keep only one of them")
        while True:
            begins, lines.of_row = reader.line_num + 1, 0
            cells = next(reader, None)
            if cells is None:
                return
            if cells:
                yield _record(begins, names, cells)
    except (csv.Error, UnicodeDecodeError) as error:
        yield Record(begins, None, f"reading stops here: {error}")


def _record(line: int, names: list[str], cells: list[str]) -> Record:
    if len(cells) != len(names):
        return Record(line, None, f"{count_of(len(cells), 'cell')}, {count_of(len(names), 'column')}")
    return Record(line, {name: _cell(name, text) for name, text in zip(names, cells, strict=True)})


class Lines:
    """The lines of a table. A quoted cell may span lines, so an unclosed one would fill the memory."""

    def __init__(self, stream: Any, limit: int) -> None:
        self.stream, self.limit = stream, limit
        self.of_row = 0  # bytes since the row began; reset by the reader of rows
        self.encoding = "utf-8-sig"

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        """Return the next line, or a piece of it. Raises csv.Error if the row is too long."""
        data = self.stream.readline(self.limit)
        if not data:
            raise StopIteration
        self.of_row += len(data)
        if self.of_row > self.limit:
            raise csv.Error(f"a row of more than {self.limit:,} bytes")
        text: str = data.decode(self.encoding)
        self.encoding = "utf-8"
        return text


def _cell(name: str, text: str) -> Any:
    if not text:
        return None
    if name not in AS_JSON:
        return text
    try:
        return CONSTANTS[text.lower()] if text.lower() in CONSTANTS else orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def columns_without_end(head: bytes) -> int:
    """Return how many columns the examined part of a file's first line names, if it is a table's header that continues
    beyond that part; otherwise 0.
    """
    looked_at = head.lstrip()[:HEAD].decode(errors="replace")
    if len(head) < HEAD or "\n" in looked_at:
        return 0
    return next((len(names) for names in map(looked_at.split, DELIMITERS) if _are_names(names[:-1])), 0)


def _are_names(cells: list[str]) -> bool:
    """Return whether so many different short texts are column names rather than prose."""
    names = {cell.strip() for cell in cells}
    short = all(0 < len(name) <= LONGEST_NAME and not name.endswith(".") and ". " not in name for name in names)
    return len(cells) >= MANY_COLUMNS and len(names) == len(cells) and short


def header_text(head: bytes) -> str:
    """Return the beginning of a file that is neither JSON nor a known table."""
    return io.BytesIO(head).readline().decode(errors="replace").strip()
