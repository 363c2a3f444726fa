"""Rows of Parquet files, decoded by a separate process (labeling.formats.parquet_child) and read from it as lines."""

import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

import orjson

from labeling.formats.faults import Fault, shown

MAGIC = b"PAR1"
CHILD = Path(__file__).with_name("parquet_child.py")
ENVIRONMENT = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
PIECE = 2**18
WAIT = 1.0  # seconds between calls of `pulse` while nothing arrives
KEEPS = "Row groups of up to 100 MB can always be read: write the file again with smaller row groups, or as JSON lines."
DO = {
    "parquet_too_large": KEEPS,
    "bad_parquet": "The file is cut off or damaged: write it again. Nothing after this place was read.",
    "line_too_long": "Leave the row out or shorten it.",
    "bad_value": "Write the column as text, or as numbers, lists and objects.",
}
ENDS = ("parquet_too_large", "bad_parquet")


def can_read_parquet() -> bool:
    """Return whether the Parquet decoder is installed."""
    return find_spec("pyarrow") is not None


def parquet_rows(raw: BinaryIO, limit: int, pulse: Callable[[], None]) -> Iterator[tuple[int, bytes | Fault]]:
    """Yield each row's number from 1 with the row as JSON, or its fault. `limit`: the maximum bytes of a row.

    `raw` is a file on disk. Its position is moved to show how far reading has got.
    """
    size = os.fstat(raw.fileno()).st_size
    raw.seek(0)
    command = [sys.executable, "-I", str(CHILD), str(limit)]
    child = subprocess.Popen(
        command, stdin=raw.fileno(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT, cwd="/"
    )
    number, total, ended = 0, 1, False
    try:
        for line in _lines(child, pulse):
            letter, data = line[:1], line[1:]
            if letter == b"N":
                total = max(1, int(orjson.loads(data)))
                continue
            number += 1
            raw.seek(min(size, size * number // total))
            fault = _fault(data, number) if letter == b"F" else None
            ended = fault is not None and fault.kind in ENDS
            yield number, fault or data
        if not ended and (child.wait() or number < total and total > 1):
            yield number + 1, _died(number + 1)
    finally:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


def _lines(child: subprocess.Popen[bytes], pulse: Callable[[], None]) -> Iterator[bytes]:
    assert child.stdout is not None
    pipe, left = child.stdout.fileno(), b""
    while True:
        while not select.select([pipe], [], [], WAIT)[0]:
            pulse()
        piece = os.read(pipe, PIECE)
        if not piece:
            return
        *lines, left = (left + piece).split(b"\n") if b"\n" in piece else ([left + piece])
        yield from lines


def _fault(data: bytes, number: int) -> Fault:
    kind, found = orjson.loads(data)
    return Fault(kind, number, "", shown(found), DO[kind])


def _died(number: int) -> Fault:
    """Return the fault for a process that ended without a message: out of memory or time, or a crash of the decoder."""
    found = "reading takes more memory or time than allowed, or the file crashes the decoder"
    return Fault("parquet_too_large", number, "", found, KEEPS)
