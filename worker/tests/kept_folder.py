"""A folder for things that take long to make, kept between test runs."""

import fcntl
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

LOCK = "lock"


@contextmanager
def kept_folder(kept: Path, made_from: Sequence[Path], packages: Sequence[str] = ()) -> Iterator[Path]:
    """Yield the folder under `kept` that is named after a digest of its contents' sources. It stays for the next run.

    Only one process at a time uses `kept`; others wait. So nobody finds the folder half made, and folders made from
    other sources can be removed.
    """
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        digest = hashlib.sha256("\n".join(packages).encode())
        for file in made_from:
            digest.update(f"\n{file.name} {file.stat().st_size}\n".encode() + file.read_bytes())
        folder = kept / digest.hexdigest()[:16]
        for other in kept.iterdir():
            if other not in (folder, kept / LOCK):
                shutil.rmtree(other) if other.is_dir() else other.unlink()
        folder.mkdir(exist_ok=True)
        yield folder
