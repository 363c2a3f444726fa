"""A folder of what takes long to make, kept between runs of the tests."""

import fcntl
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

LOCK = "lock"


@contextmanager
def kept_folder(kept: Path, made_from: Sequence[Path], packages: Sequence[str] = ()) -> Iterator[Path]:
    """The folder under `kept` whose name is the digest of what its contents are made from; it stays for the next run.

    Whoever is in it is alone under `kept`: other processes wait. So nobody finds it half made, and what was made from
    something else can be removed.
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
