"""An export's file on disk, written in fixed chunks of labels: an interrupted run gives the same bytes.

Next to the file is a list of row hashes, one SHA-256 in hex per line. Each chunk of a gzip file is its own member
(RFC 1952 lets members follow each other), without a time in it.
"""

import fcntl
import gzip
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from labeling.actions.jobs import LeaseLost

HASH_LINE = 65  # 64 hex digits and a newline
GZIP_LEVEL = 6
READ_CHUNK = 2**20


class Written(NamedTuple):
    """How much of an export is certain to be on disk."""

    bytes: int = 0
    rows: int = 0


class ExportFile:
    """The file and its hash list, open for one writer. Raises LeaseLost if another process is still writing."""

    def __init__(self, path: Path, packed: bool, written: Written) -> None:
        """Go back to what is certain to be written, or to the start if the files do not hold that much."""
        path.parent.mkdir(mode=0o700, exist_ok=True)
        self.packed = packed
        self.data = _open_private(path)
        self.hashes = _open_private(hashes_path(path))
        held = path.stat().st_size >= written.bytes and self._hashes_size() >= written.rows * HASH_LINE
        self.written = written if held else Written()
        _cut(self.data, self.written.bytes)
        _cut(self.hashes, self.written.rows * HASH_LINE)

    def append(self, rows: Sequence[bytes]) -> None:
        """Write one chunk. It is only certain to be on disk after `sync`."""
        data = b"\n".join([*rows, b""])
        self.hashes.write(b"".join([hashlib.sha256(row).hexdigest().encode() + b"\n" for row in rows]))
        self.data.write(gzip.compress(data, GZIP_LEVEL, mtime=0) if self.packed and data else data)
        self.written = Written(self.data.tell(), self.written.rows + len(rows))

    def finish(self) -> None:
        """End the file. A gzip file without rows still gets a member, because an empty file cannot be unpacked."""
        if self.packed and not self.written.bytes:
            self.data.write(gzip.compress(b"", GZIP_LEVEL, mtime=0))
            self.written = Written(self.data.tell(), self.written.rows)
        self.sync()

    def sync(self) -> None:
        """Wait until everything written is on disk."""
        for file in (self.data, self.hashes):
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """Close both files, even if the disk is too full for what is still buffered."""
        try:
            self.data.close()
        finally:
            self.hashes.close()

    def _hashes_size(self) -> int:
        return os.fstat(self.hashes.fileno()).st_size


def hashes_path(path: Path) -> Path:
    """Return the path of an export's row hashes."""
    return path.with_name(path.name + ".hashes")


@contextmanager
def open_truncated(path: Path) -> Iterator[BinaryIO]:
    """Open a private file to be written in one go, and synced to disk when the block ends. Raises LeaseLost."""
    with closing(_open_private(path)) as file:
        _cut(file, 0)
        yield file
        file.flush()
        os.fsync(file.fileno())


def sha256_of(path: Path) -> str:
    """Return the hex SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(READ_CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def _open_private(path: Path) -> BinaryIO:
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as busy:
        file.close()
        raise LeaseLost from busy
    return file


def _cut(file: BinaryIO, size: int) -> None:
    file.truncate(size)
    file.seek(size)
