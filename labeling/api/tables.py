"""Answers that are tables."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse

CSV = "text/csv"
MOST_ROWS = 100_000  # rows in a table of all matches; an export has no limit
# Spreadsheets read values that begin like this as formulas, and people choose the names. Some programs also skip a
# leading space or line break, or read a full-width sign as the plain one.
SIGN = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
FORMULA = re.compile(rf"[\t\r]|\s*{SIGN}")
# Spreadsheets that split cells at semicolons (as in Germany and France) or at tabs honour quotes only at the start of a
# cell. For them, any of these characters and any line break inside a text starts a new cell.
PARTS = re.compile(rf"[;\t\r\n](?=[^\S\t\r\n]*{SIGN})")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")  # begins like a formula but is harmless


def csv_file(name: str, rows: Iterable[Iterable[Any]]) -> HttpResponse:
    """A CSV download. Values that a spreadsheet would run as a formula get a leading `'`, which marks them as text."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    response = HttpResponse(content_type=f"{CSV}; charset=utf-8", headers=headers)
    csv.writer(response).writerows([_cell(value) for value in row] for row in rows)
    return response


def table_of_all(
    name: str, found: QuerySet[Any], table: Callable[[Iterable[Any]], Iterable[Iterable[Any]]]
) -> HttpResponse:
    """A CSV download of the matches, in their order. If a table cannot hold them all, the file's name says so: a note
    between the rows would break programs that read the file."""
    more = False

    def first() -> Iterator[Any]:
        nonlocal more
        for place, one in enumerate(found[: MOST_ROWS + 1].iterator(chunk_size=1_000)):
            if place == MOST_ROWS:
                more = True
                return
            yield one

    response = csv_file(f"{name}.csv", table(first()))
    if more:
        response["Content-Disposition"] = f'attachment; filename="{name}-first-{MOST_ROWS}.csv"'
    return response


def _cell(value: Any) -> Any:
    if not isinstance(value, str) or NUMBER.fullmatch(value):
        return value
    return ("'" if FORMULA.match(value) else "") + PARTS.sub(r"\g<0>'", value)
