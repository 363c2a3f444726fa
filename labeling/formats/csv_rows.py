"""Rows of CSV and TSV as JSON rows: a column a key, an empty cell null."""

import csv
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

DELIMITERS = (",", "\t", ";")
# A table is taken for rows of ours where one of these is a column.
TELLING = frozenset(("problem", "question", "steps", "prompt", "input"))
# Cells that are JSON: lists, numbers, true and false. Every other cell is text, as "42" is an answer.
AS_JSON = frozenset(
    (
        *("steps", "step_labels", "first_error", "final_answer_correct", "label", "labels", "completions"),
        *("hard_labels", "soft_labels", "conversations", "modified_process", "error_steps", "chain_of_thoughts"),
        *("solution_steps", "error_labels", "model_output_step_format", "model_output_steps", "hypothesis_steps"),
    )
)
HEAD = 16_384  # bytes by which a table is known whose columns are not
MANY_COLUMNS = 100
LONGEST_NAME = 60  # characters of a column
CONSTANTS = {"true": True, "false": False, "null": None}


class Record(NamedTuple):
    """A row and the line on which it begins; `row` None: `wrong` says why."""

    line: int
    row: dict[str, Any] | None
    wrong: str = ""


def delimiter_of(head: bytes) -> str | None:
    """What parts the columns of a table whose header is the first line; None where it is no such table."""
    header = head.lstrip().split(b"\n", 1)[0].decode(errors="replace").lstrip("\ufeff")
    for delimiter in DELIMITERS:
        names = {name.strip().strip('"').lower() for name in header.split(delimiter)}
        if len(names) > 1 and names & TELLING:
            return delimiter
    return next((delimiter for delimiter in DELIMITERS if _is_table(head[:HEAD], delimiter)), None)


def _is_table(head: bytes, delimiter: str) -> bool:
    """Whether the first line names columns, and the row below it has a cell for each."""
    reader = csv.reader(io.StringIO(head.decode(errors="replace").lstrip("\ufeff"), newline=""), delimiter=delimiter)
    try:
        names, row = [name.strip() for name in next(reader, [])], next(reader, [])
    except csv.Error:
        return False
    told = len(names) > 1 and len(set(names)) == len(names) and all(0 < len(name) <= LONGEST_NAME for name in names)
    return told and len(row) == len(names)


def csv_rows(stream: Any, delimiter: str, limit: int) -> Iterator[Record]:
    """The rows below the header; `limit`: characters that a row may have. Reading ends at a row that breaks it."""
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
        return Record(line, None, f"{len(cells)} cells, {len(names)} columns")
    return Record(line, {name: _cell(name, text) for name, text in zip(names, cells, strict=True)})


class Lines:
    """The lines of a table. A row goes on over lines within quotes: cells without end would fill the memory."""

    def __init__(self, stream: Any, limit: int) -> None:
        self.stream, self.limit = stream, limit
        self.of_row = 0  # bytes since the row began; set back by who reads rows
        self.encoding = "utf-8-sig"

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        """The next line, or a piece of it. Raises csv.Error where the row is too long."""
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
    """How many columns the first line of a file names in what is looked at, where it is a table's header that goes on
    behind it; 0 where it is none."""
    looked_at = head.lstrip()[:HEAD].decode(errors="replace")
    if len(head) < HEAD or "\n" in looked_at:
        return 0
    return next((len(names) for names in map(looked_at.split, DELIMITERS) if _are_names(names[:-1])), 0)


def _are_names(cells: list[str]) -> bool:
    """Whether so many different short words are rather columns than prose."""
    names = {cell.strip() for cell in cells}
    short = all(0 < len(name) <= LONGEST_NAME and not name.endswith(".") and ". " not in name for name in names)
    return len(cells) >= MANY_COLUMNS and len(names) == len(cells) and short


def header_text(head: bytes) -> str:
    """The beginning of a file that is neither JSON nor a table we know."""
    return io.BytesIO(head).readline().decode(errors="replace").strip()
