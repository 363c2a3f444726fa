"""Downloads files complete and unchanged, or not at all; an interrupted download resumes where it stopped."""

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from stepmark.errors import BrokeOff, Damaged, NoRoom, NotReachable
from stepmark.http import Http, pause_after

PIECE = 2**20
PROGRESS = 2**16  # bytes of an attempt; with less, pauses grow and it counts as a failure
TRIES = 8  # in a row without progress, a minute with their pauses
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
Check = Callable[[Path], None]  # raises Damaged


def download(
    http: Http,
    address: str,
    target: Path,
    *,
    sha256: str = "",
    known_as: str = "",
    size: int | None = None,
    check: Check | None = None,
) -> Path:
    """Write what is at `address` to `target`, first under another name, so that nobody sees half a file. Raises
    Damaged, NoRoom.

    `known_as`: a name for exactly these bytes (their hash, if `sha256` is given). With it, what arrived before the
    connection broke off is kept next to the target, and the next call requests only the rest.

    `size`: the number of bytes that the server announced; no more are written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    name = known_as or sha256
    part = target.with_name(f"{target.name}.{name[:16] or os.getpid()}.part")
    resumed = bool(name) and part.exists()
    try:
        _require_room(part, size)
        _fetch(http, address, part, name, size)
        (check or _holder(sha256))(part)
    except NotReachable:
        if not name:
            part.unlink(missing_ok=True)
        raise
    except Damaged:
        part.unlink(missing_ok=True)
        if not resumed:
            raise
        return download(http, address, target, sha256=sha256, known_as=known_as, size=size, check=check)
    except BaseException as fault:
        part.unlink(missing_ok=True)
        if isinstance(fault, OSError) and fault.errno in NO_ROOM:
            raise NoRoom(
                f"{target} cannot be written: {fault.strerror}. Free some space, or write it elsewhere."
            ) from fault
        raise
    part.replace(target)
    return target


def hash_of(pieces: Iterable[bytes]) -> str:
    """Return the SHA-256 of all pieces, in hex."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _holder(sha256: str) -> Check:
    def hold(part: Path) -> None:
        with part.open("rb") as file:
            found = hash_of(iter(lambda: file.read(PIECE), b""))
        if sha256 and found != sha256:
            raise Damaged(f"{part.name} has the hash {found}, not {sha256}. Download it again.")

    return hold


def _require_room(part: Path, size: int | None) -> None:
    """Raise NoRoom before anything is requested."""
    disk, more = shutil.disk_usage(part.parent), (size or 0) - _size(part)
    if disk.total and more > disk.free:  # some file systems do not report it
        raise NoRoom(f"The download needs {more:,} bytes; {part.parent} has {disk.free:,} free. Write it elsewhere.")


def _fetch(http: Http, address: str, part: Path, name: str, size: int | None) -> None:
    """Download to the end of the file. A broken connection is reopened until TRIES in a row bring next to nothing.

    Raises NotReachable, Damaged.
    """
    if not name or (size is not None and _size(part) > size):
        part.unlink(missing_ok=True)
    tries = 0
    while not part.exists() or _size(part) != size:
        before = _size(part)
        try:
            _write(http, address, part, before, name, size)
        except BrokeOff as lost:
            tries = 1 if _size(part) >= before + PROGRESS else tries + 1
            if not name:
                raise
            if tries == TRIES:
                kept = f"{_size(part):,} bytes are kept; the next call continues from there."
                raise NotReachable(f"{lost} This happened {TRIES} times in a row. {kept}") from lost
            http.sleep(pause_after(tries))
        else:
            return


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _write(http: Http, address: str, part: Path, start: int, name: str, size: int | None) -> None:
    with http.stream(address, start=start, tag=name) as answer, part.open("ab") as file:
        if answer.status_code != 206:
            file.truncate(0)
        written = start if answer.status_code == 206 else 0
        for piece in answer.iter_bytes():
            written += len(piece)
            if size is not None and written > size:
                raise Damaged(f"The server sent more than the {size:,} bytes it announced. Download it again.")
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
