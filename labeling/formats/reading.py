"""Read rows from a file of any size, packed or not: one row in memory at a time, every fault reported."""

import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

import orjson

from labeling.formats.containers import BROKEN, UnreadableFile, bad_packing, opened
from labeling.formats.csv_rows import HEAD as TABLE_HEAD
from labeling.formats.csv_rows import columns_without_end, csv_rows, delimiter_of, header_text
from labeling.formats.faults import Fault, json_type, shown
from labeling.formats.json_values import Value, list_values, object_values
from labeling.formats.parquet_rows import MAGIC, can_read_parquet, parquet_rows

LINE_LIMIT = 10 * 2**20  # bytes; a trace of 2,000 steps of 1,000 characters takes a fifth of it
TEXT_LIMIT = 32 * 2**30  # bytes after unpacking: a gzip file of 30 MB can hold 30 GB of zeros
# A packed file may unpack to PACKED_TEXT bytes plus PACKED_TIMES its own size. Packing shrinks traces at most a
# hundredfold, while a small upload of identical blocks in a row would otherwise keep a worker busy for a day.
PACKED_TEXT, PACKED_TIMES = 64 * 2**20, 1_000
MOST_LINES = 50_000_000  # including blank ones: each takes time, however short it is
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SKIP_CHUNK = 2**20
PULSE_LINES = 5000
LARGEST_EXACT = 2**63
DEPTH_LIMIT = 100
MOST_VALUES = 2_000_000  # lists and objects in a row: each takes at least 60 bytes, but only two in the file
OVER_LINES = re.compile(rb'\{[^\S\n]*\n\s*"')  # an object whose first key is on its own line
HAS_OBJECT = re.compile(rb"^[^\S\n]*\{", re.MULTILINE)
BEFORE = 30  # characters shown before the faulty place: the key of a value
NOT_A_NUMBER = re.compile(r"-?(NaN|Infinity)\b")


class Line(NamedTuple):
    """One line of the file: the row it holds, or its fault. `number` counts from 1, including blank lines."""

    number: int
    row: dict[str, Any] | None
    fault: Fault | None
    size: int = 0  # bytes


class Limits(NamedTuple):
    """The maximum bytes per line, bytes per file after unpacking, and lines per file."""

    line: int = LINE_LIMIT
    text: int = TEXT_LIMIT
    lines: int = MOST_LINES


class Pulsed:
    """A stream with a limit that calls `pulse` while it is read, even when there is nothing to yield.

    Both reading methods raise BeyondLimits once more was read than a file may have.
    """

    def __init__(self, stream: Any, pulse: Callable[[], None], limits: Limits) -> None:
        self.stream, self.pulse, self.limits = stream, pulse, limits
        self.lines, self.bytes = 0, 0

    def read(self, size: int) -> bytes:
        """Read as the stream does."""
        self.pulse()
        return self._counted(self.stream.read(size))

    def readline(self, size: int) -> bytes:
        """Read a line as the stream does."""
        self.lines += 1
        if self.lines % PULSE_LINES == 0:
            self.pulse()
        return self._counted(self.stream.readline(size))

    def _counted(self, data: bytes) -> bytes:
        self.bytes += len(data)
        if self.bytes > self.limits.text:
            raise BeyondLimits(too_much_text(1, self.limits.text))
        if self.lines > self.limits.lines:
            raise BeyondLimits(too_many_lines(1, self.limits.lines))
        return data


class BeyondLimits(Exception):
    """The rest of the file is not read; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.found)
        self.fault = fault


def read_rows(
    raw: BinaryIO,
    limits: Limits = Limits(),  # noqa: B008  a NamedTuple is immutable
    pulse: Callable[[], None] = lambda: None,
) -> Iterator[Line]:
    """Yield each row of JSON lines, one JSON list, objects across several lines, or CSV, packed or not; or of Parquet.

    `raw` must be seekable; its position shows how far reading has got. A file that cannot be read at all gives one
    fault. A line over the limit is skipped without being held in memory. A fault in the packing ends the reading.
    `pulse` is called several times a second even when there is nothing to yield: in blank lines and in endless ones.
    """
    number = 0
    if can_read_parquet() and raw.read(len(MAGIC)) == MAGIC:
        yield from _parquet_rows(raw, limits, pulse)
        return
    raw.seek(0)
    try:
        stream, head = opened(raw)
        if stream is not raw:
            limits = limits._replace(text=min(limits.text, most_unpacked(raw)))
        for line in _reader_of(head)(Pulsed(stream, pulse, limits), head, limits):
            number = line.number
            yield line
    except BeyondLimits as beyond:
        yield Line(number + 1, None, replace(beyond.fault, line=number + 1))
    except UnreadableFile as error:
        yield Line(max(1, number), None, error.fault)
    except BROKEN as error:
        yield Line(number + 1, None, bad_packing(number + 1, error))


def _reader_of(head: bytes) -> Callable[[Pulsed, bytes, Limits], Iterator[Line]]:
    """Return the reader for a text that begins with `head`. Raises UnreadableFile if it contains no known kind
    of rows."""
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if text.startswith(b"["):
        return _list_rows
    if OVER_LINES.match(text):
        return _object_rows
    if not text or text.startswith(b"{") or HAS_OBJECT.search(text):
        return _line_rows
    if delimiter_of(text):
        return _table_rows
    if columns := columns_without_end(text):
        found = f"a first line with {columns:,} columns in its first {TABLE_HEAD:,} bytes, and more after that"
        do = "Keep only the columns that describe a trace (problem, steps, ...), or use JSON lines."
        raise UnreadableFile("too_many_columns", found, do)
    raise UnreadableFile("not_json", shown(header_text(text)), "Use JSON lines, a JSON list, or CSV with a header.")


def _line_rows(pulsed: Pulsed, _head: bytes, limits: Limits) -> Iterator[Line]:
    stream, pulse = pulsed.stream, pulsed.pulse
    number, total = 0, 0
    while data := stream.readline(limits.line + 1):
        number += 1
        if number % PULSE_LINES == 0:
            pulse()
        oversize = len(data) > limits.line and not data.endswith(b"\n")
        total += len(data) + (_skip_line(stream, pulse) if oversize else 0)
        if total > limits.text:
            yield Line(number, None, too_much_text(number, limits.text))
            return
        if number > limits.lines:
            yield Line(number, None, too_many_lines(number, limits.lines))
            return
        if oversize:
            yield Line(number, None, _line_too_long(number, data, limits.line))
        elif data.strip():
            yield read_line(data.removeprefix(BYTE_ORDER_MARK) if number == 1 else data, number)


def _list_rows(stream: Pulsed, head: bytes, limits: Limits) -> Iterator[Line]:
    if head.startswith(BYTE_ORDER_MARK):
        stream.read(len(BYTE_ORDER_MARK))
    return _value_rows(list_values(stream, limits.line), limits.line)


def _object_rows(stream: Pulsed, head: bytes, limits: Limits) -> Iterator[Line]:
    if head.startswith(BYTE_ORDER_MARK):
        stream.read(len(BYTE_ORDER_MARK))
    return _value_rows(object_values(stream, limits.line), limits.line)


def _value_rows(values: Iterator[Value], longest: int) -> Iterator[Line]:
    for value in values:
        if value.data is None:
            yield Line(value.line, None, _broken_value(value, longest))
        else:
            yield read_line(value.data, value.line)


def _table_rows(stream: Pulsed, head: bytes, limits: Limits) -> Iterator[Line]:
    total = 0
    for record in csv_rows(stream, delimiter_of(head) or ",", limits.line):
        if record.row is None:
            do = "Give each row as many cells as the header has columns, with text in UTF-8 and in double quotes."
            yield Line(record.line, None, Fault("bad_csv", record.line, "", shown(record.wrong), do))
            continue
        data = orjson.dumps(record.row)
        total += len(data)
        if total > limits.text:
            yield Line(record.line, None, too_much_text(record.line, limits.text))
            return
        yield read_line(data, record.line)


def _parquet_rows(raw: BinaryIO, limits: Limits, pulse: Callable[[], None]) -> Iterator[Line]:
    """Yield the rows of a Parquet file, numbered from 1 like lines."""
    total = 0
    for number, row in parquet_rows(raw, limits.line, pulse):
        if number % PULSE_LINES == 0:
            pulse()
        if isinstance(row, Fault):
            yield Line(number, None, row)
            continue
        total += len(row)
        if total > limits.text:
            yield Line(number, None, too_much_text(number, limits.text))
            return
        yield read_line(row, number)


def read_line(data: bytes, number: int) -> Line:
    """Return the row in one line, or its fault."""
    if len(data) > MOST_VALUES and (found := data.count(b"[") + data.count(b"{")) > MOST_VALUES:
        do = f"A row may hold {MOST_VALUES:,} lists and objects. Split it, or leave out what is not part of a trace."
        return Line(number, None, Fault("too_many_values", number, "", f"{found:,} opening brackets", do))
    try:
        row = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return Line(number, None, _bad_json(data, number, error))
    if type(row) is not dict:
        do = "Write one JSON object per line (JSON Lines), not one list or one object across many lines."
        return Line(number, None, Fault("not_an_object", number, "", json_type(row), do))
    if b"\\u0000" in data and (path := path_to_nul(row)) is not None:
        do = "Remove the NUL character (\\u0000): the database cannot store it."
        return Line(number, None, Fault("nul_character", number, path, "\\u0000", do))
    if (key := key_given_twice(data, row)) is not None:
        do = "Write the key only once: JSON readers silently keep the last of two values."
        return Line(number, None, Fault("key_given_twice", number, shown(key), f"two values of {shown(key)}", do))
    return Line(number, row, None, len(data))


def path_to_nul(row: dict[str, Any]) -> str | None:
    """Return the path to a NUL character in a text or key of a decoded row (`steps[2]`), or None."""
    for path, value, _depth in walk(row):
        if (isinstance(value, str) and "\x00" in value) or "\x00" in path:
            return path.replace("\x00", "\\u0000")
    return None


def key_given_twice(data: bytes, row: dict[str, Any]) -> str | None:
    """Return a key that one object of a row has twice, or None. The decoded `row` has only its last value.

    Written again, a row has at least as many quotation marks as when it was read, unless something was lost. That check
    takes a few microseconds; only if it fails is the row parsed again, slowly.
    """
    try:
        if data.count(b'"') <= orjson.dumps(row).count(b'"'):
            return None
        json.loads(data, object_pairs_hook=_unlike_keys, parse_int=str, parse_float=str)
    except KeyGivenTwice as twice:
        return str(twice.args[0])
    except (orjson.JSONEncodeError, RecursionError):  # too deep to be written, which is a separate fault
        return None
    return None


class KeyGivenTwice(Exception):
    """An object has the same key twice."""


def _unlike_keys(pairs: list[tuple[str, Any]]) -> None:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise KeyGivenTwice(next(key for place, key in enumerate(keys) if key in keys[:place]))


def faults_of_extras(extras: dict[str, Any], line: int) -> list[Fault]:
    """Return what prevents values without a column from being stored unchanged: depth, and numbers beyond 64 bits.

    A whole number beyond 64 bits is decoded as a float, so a float that large cannot be trusted.
    """
    if _keeps_unchanged(extras):
        return []
    faults = []
    for path, value, depth in walk(extras):
        if isinstance(value, float) and abs(value) >= LARGEST_EXACT:
            do = "Write such a large number as text: JSON readers round it to a float."
            faults.append(Fault("number_too_large", line, path, shown(value), do))
        if depth > DEPTH_LIMIT:
            do = f"Flatten the value to at most {DEPTH_LIMIT} levels."
            faults.append(Fault("nested_too_deep", line, shown(path), f"more than {DEPTH_LIMIT} levels", do))
            break
    return faults


def _keeps_unchanged(value: Any) -> bool:
    """Return whether `faults_of_extras` would find nothing, without building paths, which take most of the time."""
    level = [value]
    for _ in range(DEPTH_LIMIT):
        inner = [child for item in level for child in (item.values() if type(item) is dict else item)]
        if any(type(child) is float and abs(child) >= LARGEST_EXACT for child in inner):
            return False
        level = [child for child in inner if type(child) is dict or type(child) is list]
        if not level:
            return True
    return False


def walk(value: Any) -> Iterator[tuple[str, Any, int]]:
    """Yield every value inside a decoded one with its path and depth. Uses its own stack: rows may nest 1,000
    levels."""
    stack = [("", value, 0)]
    while stack:
        path, item, depth = stack.pop()
        yield path, item, depth
        if isinstance(item, dict):
            stack.extend((f"{path}.{key}" if path else key, child, depth + 1) for key, child in item.items())
        elif isinstance(item, list):
            stack.extend((f"{path}[{index}]", child, depth + 1) for index, child in enumerate(item))


def _skip_line(stream: Any, pulse: Callable[[], None]) -> int:
    """Read to the end of the line in small pieces and return how many bytes that were."""
    skipped = 0
    while piece := stream.readline(SKIP_CHUNK):
        skipped += len(piece)
        pulse()
        if piece.endswith(b"\n"):
            break
    return skipped


def _bad_json(data: bytes, number: int, error: orjson.JSONDecodeError) -> Fault:
    """Return the fault that says in which way the line is not JSON."""
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        found = f"byte 0x{data[fault.start]:02x} at byte {fault.start + 1} of the line"
        do = "Save the file as UTF-8. If it is Latin-1: iconv -f LATIN1 -t UTF-8 old > new"
        return Fault("bad_utf8", number, "", found, do)
    near = text[error.pos : error.pos + 40]
    if "surrogate" in error.msg:
        do = "Remove the half character (a \\ud800-\\udfff escape without its partner): it has no UTF-8 form."
        return Fault("lone_surrogate", number, "", shown(near), do)
    token = NOT_A_NUMBER.match(text, error.pos) or NOT_A_NUMBER.match(text, max(error.pos - 1, 0))
    if token is None and "infinity" in error.msg:
        found = f"{text[max(0, error.pos - BEFORE) : error.pos]}{shown(near.partition(',')[0])}"
        do = "JSON readers cannot hold a number that large (the limit is about 1e308): write it as text, or null."
        return Fault("number_too_large", number, "", found, do)
    if token:
        found = text[max(0, error.pos - BEFORE) : token.end()]
        do = "JSON has no NaN or Infinity: write null, as pandas' `to_json` does."
        return Fault("not_a_number", number, "", shown(found), do)
    if "depth limit" in error.msg:
        return Fault("nested_too_deep", number, "", "more than 1,000 levels", "Flatten the row.")
    found = f"{error.msg}, near {near!r}" if near else error.msg
    return Fault("bad_json", number, "", shown(found), "Write one complete JSON object per line.")


def _line_too_long(number: int, data: bytes, limit: int) -> Fault:
    do = f"A line may have {limit:,} bytes. Leave the row out or shorten it. Is a line break missing?"
    return Fault(
        "line_too_long", number, "", f"more than {limit:,} bytes: {shown(data[:60].decode(errors='replace'))}", do
    )


def _broken_value(value: Value, limit: int) -> Fault:
    """Say why reading a list, or objects across several lines, ends before the file does."""
    found, do = {
        "cut_off": ("the end of the file", "The value that begins here is never closed: is the file complete?"),
        "too_long": (
            "a row over the limit",
            f"A row may have {limit:,} bytes. If the rows are nested inside: jq -c '.rows[]'",
        ),
        "goes_on": ("more after the end of the list", "Write one JSON object per line, or one list of objects."),
    }[value.wrong]
    return Fault("bad_json", value.line, "", found, f"{do} Nothing after this place was read.")


def most_unpacked(raw: BinaryIO) -> int:
    """Return how many bytes may come out of a packed file. Leaves its position unchanged."""
    at = raw.tell()
    size = raw.seek(0, io.SEEK_END)
    raw.seek(at)
    return PACKED_TEXT + PACKED_TIMES * size


def too_many_lines(number: int, limit: int) -> Fault:
    """Return the fault that ends reading a file with too many lines."""
    do = "Split the file, or remove the blank lines. Nothing after this place was read."
    return Fault("too_many_lines", number, "", f"more than {limit:,} lines", do)


def too_much_text(number: int, limit: int) -> Fault:
    """Return the fault that ends reading a file that is too large after unpacking."""
    do = "Split the file. Nothing after this place was read."
    return Fault("file_too_large", number, "", f"more than {limit:,} bytes after unpacking", do)
