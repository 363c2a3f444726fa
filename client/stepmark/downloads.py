"""Files from the server: whole and as they were made, or not at all."""

import hashlib
import os
from pathlib import Path

from stepmark.errors import Damaged
from stepmark.http import Http


def download(http: Http, address: str, target: Path, *, sha256: str = "") -> Path:
    """Write what is at `address` to `target`; beside it first, so that nobody sees half a file. Raises Damaged."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        found = _write(http, address, part)
        if sha256 and found != sha256:
            raise Damaged(f"{target.name} came with the hash {found}, not {sha256}. Download it again.")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def _write(http: Http, address: str, part: Path) -> str:
    digest = hashlib.sha256()
    with http.stream(address) as answer, part.open("wb") as file:
        for piece in answer.iter_bytes():
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()
