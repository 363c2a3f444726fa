"""Marks of steps in other people's notation: true and false, 1 and 0, + and -, words, or shares."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from labeling.count_words import count_of
from labeling.formats.faults import Fault, json_type, shown
from labeling.formats.imports.import_format import Parsed
from labeling.formats.records import MarksRecord, ParsedRow
from labeling.formats.row_checks import way_out_of_python

RIGHT = ("+", "1", "true", "correct", "right", "good", "yes", "positive")
WRONG = ("-", "0", "-1", "false", "incorrect", "wrong", "bad", "no", "negative")
WORDS = {**dict.fromkeys(RIGHT, 1.0), **dict.fromkeys(WRONG, 0.0)}
NO_MARK = ("", "null", "none", "nan", "n/a")
A_MARK = "A mark is true or false; 1, 0 or -1; + or -; or null where nobody looked."
A_SHARE = "A share is a number from 0 to 1, or null where nobody looked."


def marked(parsed: Parsed, values: Any, line: int, field: str, *, shares: bool = False) -> Parsed:
    """Return a parsed row with the marks in its `field`, or every fault in both."""
    row, faults = parsed
    steps = len(row.trace.steps) if row is not None and row.trace is not None else None
    marks, found = read_marks(values, steps, line, field, shares=shares)
    if faults or found or row is None:
        return None, [*faults, *found]
    return row._replace(marks=marks), []


def read_marks(
    values: Any, steps: int | None, line: int, field: str, *, shares: bool = False
) -> tuple[MarksRecord | None, list[Fault]]:
    """Return the marks of a trace with this number of steps (None: unknown, as its steps are faulty)."""
    if isinstance(values, str):
        values = _listed(values)
    if not isinstance(values, list):
        found = f"{json_type(values)}: {shown(values)}"
        do = f"Expected a list with a mark for each step.{way_out_of_python(values, field)}"
        return None, [Fault("wrong_type", line, field, shown(found), do)]
    read = [_share(value) if shares else _hard(value) for value in values]
    faults = list(_faults(values, read, steps, line, field, A_SHARE if shares else A_MARK))
    if faults:
        return None, faults
    return MarksRecord([None if value is None else float(value) for value in read], field, shares), []


def _faults(values: Any, read: Any, steps: int | None, line: int, field: str, do: str) -> Iterator[Fault]:
    for index, (value, mark) in enumerate(zip(values, read, strict=True)):
        if mark is False:
            yield Fault("bad_mark", line, f"{field}[{index}]", shown(value), do)
    if steps is not None and len(values) != steps:
        found = f"{count_of(len(values), 'mark')}, {count_of(steps, 'step')}"
        yield Fault("marks_do_not_match_steps", line, field, found, "Give one mark per step, null where nobody looked.")


def _hard(value: Any) -> float | None | bool:
    """Return the mark; None where nobody looked, False if the value is not a mark."""
    if value is None or isinstance(value, bool):
        return None if value is None else float(value)
    if isinstance(value, int | float):
        return 1.0 if value == 1 else 0.0 if value in (0, -1) else False
    if not isinstance(value, str):
        return False
    word = value.strip().lower()
    return None if word in NO_MARK else WORDS.get(word, False)


def _share(value: Any) -> float | None | bool:
    if isinstance(value, str):
        try:
            value = None if value.strip().lower() in NO_MARK else float(value)
        except ValueError:
            return False
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return float(value) if math.isfinite(value) and 0 <= value <= 1 else False


def _listed(text: str) -> Any:
    """Return the list in a cell: as JSON, or separated by commas or spaces."""
    if text.lstrip().startswith("["):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
    return text.replace(",", " ").replace(";", " ").split() or text


def ratings_of(marks: MarksRecord) -> list[int | None]:
    """Return hard marks as ratings: right is +1, wrong is -1."""
    return [None if value is None else 1 if value == 1.0 else -1 for value in marks.values]


def as_recorded(row: ParsedRow, words: Mapping[str, str] | None = None) -> ParsedRow:
    """Return the row with its hard marks as the file's recorded ratings. The first wrong one is the first error."""
    if row.marks is None or row.trace is None:
        return row
    ratings = ratings_of(row.marks)
    first = ratings.index(-1) if -1 in ratings else None if None in ratings else -1
    trace = row.trace._replace(recorded_first_error=first, recorded_ratings=ratings)
    return row._replace(trace=trace, marks=None)


def as_marks(row: ParsedRow) -> ParsedRow:
    """Return the row with its recorded ratings as marks. If there is only a first error, all steps from it on are
    wrong.
    """
    trace = row.trace
    if trace is None or row.marks is not None or row.label is not None:
        return row
    values, field = _recorded(trace.recorded_first_error, trace.recorded_ratings, len(trace.steps))
    if values is None:
        return row
    silent = trace._replace(recorded_first_error=None, recorded_ratings=None)
    return row._replace(trace=silent, marks=MarksRecord(values, field))


def _recorded(first: int | None, ratings: list[int | None] | None, steps: int) -> tuple[list[float | None] | None, str]:
    if ratings is not None:
        return [None if rating is None else float(rating >= 0) for rating in ratings], "step_labels"
    if first is None:
        return None, ""
    return [float(first < 0 or step < first) for step in range(steps)], "first_error"
