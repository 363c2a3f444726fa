"""Files from the server: whole and as they were made, or not at all; what broke off goes on where it stopped."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

from stepmark.errors import Damaged, NotReachable
from stepmark.http import Http

PIECE = 2**20
Check = Callable[[Path], None]  # raises Damaged


def download(
    http: Http, address: str, target: Path, *, sha256: str = "", known_as: str = "", check: Check | None = None
) -> Path:
    """Write what is at `address` to `target`; beside it first, so that nobody sees half a file. Raises Damaged.

    `known_as`: a name of exactly these bytes (their hash, where `sha256` says it). With it, what came before the
    connection broke off is kept beside the target, and the next call asks for the rest alone.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    name = known_as or sha256
    part = target.with_name(f"{target.name}.{name[:16] or os.getpid()}.part")
    resumed = bool(name) and part.exists()
    try:
        _fetch(http, address, part, name)
        (check or _holder(sha256))(part)
    except NotReachable:
        if not name:
            part.unlink(missing_ok=True)
        raise
    except Damaged:
        part.unlink(missing_ok=True)
        if not resumed:
            raise
        return download(http, address, target, sha256=sha256, known_as=known_as, check=check)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    part.replace(target)
    return target


def hash_of(file: IO[bytes]) -> str:
    """SHA-256 of what is left of an open file, in hex."""
    digest = hashlib.sha256()
    while piece := file.read(PIECE):
        digest.update(piece)
    return digest.hexdigest()


def _holder(sha256: str) -> Check:
    def hold(part: Path) -> None:
        with part.open("rb") as file:
            found = hash_of(file)
        if sha256 and found != sha256:
            raise Damaged(f"{part.name} came with the hash {found}, not {sha256}. Download it again.")

    return hold


def _fetch(http: Http, address: str, part: Path, name: str) -> None:
    """To the end of the file. A connection that broke off is made again for as long as each one brings something."""
    if not name:
        part.unlink(missing_ok=True)
    while True:
        before = _size(part)
        try:
            return _write(http, address, part, before, name)
        except NotReachable:
            if not name or _size(part) <= before:
                raise


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _write(http: Http, address: str, part: Path, start: int, name: str) -> None:
    with http.stream(address, start=start, tag=name) as answer, part.open("ab") as file:
        if answer.status_code != 206:
            file.truncate(0)
        for piece in answer.iter_bytes():
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
