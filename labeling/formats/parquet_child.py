"""Run as a separate process: Parquet on its standard input, JSON lines on its standard output.

A Parquet file is a program for a decoder written in C++: a small one can hold gigabytes, and a damaged one can end the
process that reads it. So the worker never reads it itself. This process may use MEMORY bytes and PROCESSOR seconds,
opens nothing else, and imports nothing from Stepmark. Arrow reads no pickles.

Each line begins with a letter: `N` the number of rows, `R` a row, `F` why a row or all that follows cannot be read.
"""

import resource
import sys
from datetime import timedelta
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

MEMORY = 2 * 2**30  # bytes of address space; Arrow itself takes part of it
PROCESSOR = 3600  # seconds
BATCH_ROWS = 512
BATCH_BYTES = 32 * 2**20  # of rows, according to the footer
FAULTS = (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, RecursionError)
INPUT, OUTPUT = "/proc/self/fd/0", sys.stdout.buffer


def main(limit: int) -> None:
    """Write every row. `limit`: the maximum bytes of a row."""

    def say(letter: bytes, value: Any) -> None:
        OUTPUT.write(letter + orjson.dumps(value) + b"\n")

    try:
        _write_rows(say, limit)
    except MemoryError:
        say(b"F", ["parquet_too_large", "more memory than reading may use"])
    except FAULTS as fault:
        kind = "parquet_too_large" if "alloc" in str(fault) else "bad_parquet"
        say(b"F", [kind, f"{type(fault).__name__}: {fault}"[:300]])
    OUTPUT.flush()


def _write_rows(say: Any, limit: int) -> None:
    file = pq.ParquetFile(INPUT, memory_map=False, pre_buffer=False)
    about = file.metadata
    say(b"N", about.num_rows)
    for group in range(about.num_row_groups):
        size = about.row_group(group).total_byte_size // max(1, about.row_group(group).num_rows)
        rows = max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, size)))
        for batch in file.iter_batches(batch_size=rows, row_groups=[group], use_threads=False):
            for row in batch.to_pylist():
                try:
                    data = orjson.dumps(row, default=_as_text)
                except TypeError as fault:
                    say(b"F", ["bad_value", str(fault)[:300]])
                    continue
                if len(data) > limit:
                    say(b"F", ["line_too_long", f"{len(data):,} bytes"])
                else:
                    OUTPUT.write(b"R" + data + b"\n")


def _as_text(value: Any) -> str:
    """Return as text what JSON has no value for. Raises TypeError if bytes are not text."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise TypeError("bytes that are not UTF-8 text") from None
    return str(value.total_seconds()) if isinstance(value, timedelta) else str(value)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main(int(sys.argv[1]))
