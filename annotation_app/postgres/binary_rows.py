"""Rows in the binary format of COPY, built before the connection is free to take them.

psycopg's `Copy.write_row` builds rows while the connection waits for them. Also, in the text format, most of what
copying a trace costs Postgres is reading its array of steps, letter by letter; the binary format gives lengths.
"""

import struct
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from django.db.backends.utils import CursorWrapper

Encoder = Callable[[Any], bytes]

# https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"
NULL = b"\xff\xff\xff\xff"
TOGETHER = 100  # rows written at once

_length = struct.Struct("!i").pack
_array = struct.Struct("!iiiiii").pack  # bytes, dimensions, has nulls, the elements' type, how many, first index
ARRAY_HEAD = 20  # bytes, without the count of bytes itself
NO_ELEMENTS = struct.Struct("!iiii").pack
TEXT, SMALLINT = 25, 21  # type numbers from pg_type
EMPTY = _length(0)
EPOCH, MICROSECOND = datetime(2000, 1, 1, tzinfo=UTC), timedelta(microseconds=1)  # the origin and unit of times


def _bytea(value: bytes) -> bytes:
    return _length(len(value)) + value


def _text(value: str) -> bytes:
    if not value:  # as are most columns of most rows
        return EMPTY
    data = value.encode()
    return _length(len(data)) + data


def _jsonb(value: str) -> bytes:
    """Encode JSON text: the number of the only version of the format, then the text."""
    return _bytea(b"\1" + value.encode())


def _boolean(value: bool) -> bytes:
    return b"\0\0\0\1\1" if value else b"\0\0\0\1\0"


def _moment(value: datetime) -> bytes:
    """Raises TypeError at a time without a zone."""
    return _bigint((value - EPOCH) // MICROSECOND)


def _texts(values: Sequence[str]) -> bytes:
    """Without a call for each: the steps of a trace are most of what is copied."""
    if not values:
        return NO_ELEMENTS(12, 0, 0, TEXT)
    parts: list[bytes] = []
    for value in values:
        data = value.encode()
        parts.append(_length(len(data)))
        parts.append(data)
    written = b"".join(parts)
    return _array(ARRAY_HEAD + len(written), 1, 0, TEXT, len(values), 1) + written


def _smallints(values: Sequence[int | None]) -> bytes:
    if not values:
        return NO_ELEMENTS(12, 0, 0, SMALLINT)
    written = b"".join([NULL if value is None else _smallint(value) for value in values])
    return _array(ARRAY_HEAD + len(written), 1, int(None in values), SMALLINT, len(values), 1) + written


_bigint = partial(struct.Struct("!iq").pack, 8)
_smallint = partial(struct.Struct("!ih").pack, 2)
ENCODERS: dict[str, Encoder] = {
    "bigint": _bigint,
    "int": partial(struct.Struct("!ii").pack, 4),
    "smallint": _smallint,
    "boolean": _boolean,
    "bytea": _bytea,
    "text": _text,
    "timestamptz": _moment,
    "uuid": _bytea,  # its 16 bytes
    "jsonb": _jsonb,
    "text[]": _texts,
    "smallint[]": _smallints,
}


class BinaryRows:
    """Rows of one table that wait to be copied into it."""

    def __init__(self, table: str, columns: str) -> None:
        """Take `columns` as in CREATE TABLE: a name and a type of ENCODERS each.

        Raises KeyError for another type.
        """
        self._copy = f"COPY {table} FROM STDIN (FORMAT BINARY)"
        self._encoders = [ENCODERS[column.split()[1]] for column in columns.split(",")]
        self._fields = struct.pack("!h", len(self._encoders))
        self._rows: list[bytes] = []

    def __len__(self) -> int:
        return len(self._rows)

    def append(self, values: Iterable[Any]) -> None:
        """Add a row. Raises struct.error if an integer exceeds its type, UnicodeEncodeError for a lone surrogate."""
        encoded = [
            NULL if value is None else encode(value) for encode, value in zip(self._encoders, values, strict=True)
        ]
        self._rows.append(self._fields + b"".join(encoded))

    def write(self, cursor: CursorWrapper) -> None:
        """Copy all waiting rows into the table."""
        if not self._rows:
            return
        with cursor.copy(self._copy) as copy:
            copy.write(HEAD)
            for at in range(0, len(self._rows), TOGETHER):
                copy.write(b"".join(self._rows[at : at + TOGETHER]))
            copy.write(END)
        self._rows.clear()
