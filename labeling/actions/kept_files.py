"""Finished files: in the data directory, or in a bucket if OBJECT_STORAGE names one.

Every process writes and reads files on its own disk. With a bucket, a finished file is also put there with its hash,
and fetched from there by whoever needs it next. The disk is then a cache that may be lost.
"""

import math
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from django.conf import settings
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from annotation_app.object_storage import in_bucket
from labeling.actions.export_file import sha256_of
from labeling.errors import FileChanged, FileGone

MODELS = "models"  # begins the names of PRMs in the bucket
HASH = ".sha256"  # ends the name of the object with the hex hash of what was put there
CACHED_SECONDS = 24 * 3600
CHANGED = "{name} has changed on the server: its hash differs. Make it again, or restore it from a backup."
REMEMBERED = 1_000  # files that this process has checked
Holds = Callable[[Path, str], bool]
_held: dict[Path, tuple[str, int, int, int, int]] = {}
CACHED = ("exports", "releases", "imports")  # in the data directory


def put(*paths: Path) -> None:
    """Keep finished files. They also stay on this disk for as long as they are used."""
    for path in paths if in_bucket() else ():
        name = _name(path)
        with path.open("rb") as file:
            default_storage.save(name, File(file))
        default_storage.save(name + HASH, ContentFile(sha256_of(path).encode()))


def has_hash(path: Path, sha256: str) -> bool:
    """Return whether the file has this hex hash."""
    return sha256_of(path) == sha256


def fetch_if_missing(path: Path, seal: str = "", holds: Holds = has_hash) -> bool:
    """Make sure that the file is on this disk, fetching it if necessary. Returns False if it exists nowhere. Raises
    FileChanged.

    `seal`: what the file's row stores to check it, by default its hash; `holds` compares it. Without a seal, the hash
    in the bucket decides, which anyone who can write there can change.
    """
    here = path.exists()
    if here and (not seal or _still_holds(path, seal, holds)):
        return True
    if not _whole_in_bucket(_name(path)):
        if here:
            raise FileChanged(CHANGED.format(name=_name(path)))
        return False
    fetch(_name(path), path, seal, holds)
    return True


def _still_holds(path: Path, seal: str, holds: Holds) -> bool:
    """Check the file once for as long as it is not touched: for a large one, this takes seconds."""
    stat = path.stat()
    now = (seal, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    if _held.get(path) == now:
        return True
    if not holds(path, seal):
        return False
    if len(_held) >= REMEMBERED:
        _held.clear()
    _held[path] = now
    return True


def fetch(name: str, path: Path, seal: str = "", holds: Holds = has_hash) -> None:
    """Fetch an object from the bucket, complete and checked, or not at all. Raises FileChanged."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fetched = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with default_storage.open(name) as source, open(fetched, "xb", opener=_private) as target:
            shutil.copyfileobj(source, target, 2**20)
        if not seal:
            with default_storage.open(name + HASH) as told:
                seal, holds = told.read().decode(), has_hash
        if not holds(fetched, seal):
            raise FileChanged(CHANGED.format(name=name))
        fetched.replace(path)
    finally:
        fetched.unlink(missing_ok=True)


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def exists(path: Path) -> bool:
    """Return whether the file exists, here or in the bucket."""
    return path.exists() or _whole_in_bucket(_name(path))


def _whole_in_bucket(name: str) -> bool:
    """Check for both: the hash is put there last, and an object may be lost while its hash is not."""
    return in_bucket() and default_storage.exists(name + HASH) and default_storage.exists(name)


def opened(path: Path) -> BinaryIO:
    """Open the file for reading. An absolute name may come from an operator. Raises FileGone, FileChanged."""
    try:
        if path.is_relative_to(settings.DATA_DIR):
            fetch_if_missing(path)
        return path.open("rb")
    except FileNotFoundError as gone:
        raise FileGone from gone


def move_out(path: Path, to: Path) -> None:
    """Rename a file on this disk, once, and remove it from the bucket. Raises FileNotFoundError."""
    fetch_if_missing(path)
    os.rename(path, to)
    forget(path)


def forget(path: Path) -> None:
    """Remove the file here and in the bucket. Does nothing if there is none."""
    path.unlink(missing_ok=True)
    if in_bucket():
        default_storage.delete(_name(path) + HASH)
        default_storage.delete(_name(path))


def link_to(path: Path, *, file_name: str, content_type: str, size: int) -> str | None:
    """Return an address from which a browser can get the file for some minutes, or None if this server has to send it.

    The content is not checked, except for its size. Raises FileChanged.
    """
    if not in_bucket():
        return None
    name = _name(path)
    try:
        found = default_storage.size(name)
    except FileNotFoundError:
        return None
    if found != size:
        raise FileChanged(CHANGED.format(name=name))
    asked = {"ResponseContentDisposition": f'attachment; filename="{file_name}"', "ResponseContentType": content_type}
    return str(default_storage.url(name, parameters=asked))  # type: ignore[call-arg]


def put_folder(folder: Path) -> None:
    """Keep all files in a folder."""
    put(*sorted(one for one in folder.rglob("*") if one.is_file()))


def fetch_folder_if_missing(folder: Path) -> None:
    """Fetch a folder from the bucket if it is not on this disk: all of it, or nothing. Raises FileChanged."""
    if folder.exists() or not in_bucket():
        return
    inside = _name(folder)
    found = [name for name in _below(inside) if not name.endswith(HASH)]
    fresh = folder.with_name(f".{folder.name}.{uuid4().hex}")
    try:
        for name in found:
            fetch(name, fresh / name.removeprefix(f"{inside}/"))
        if found:
            fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def names() -> list[str]:
    """Return the names of all files in the bucket, without hashes. Empty if there is no bucket."""
    return sorted(name for name in _below("") if not name.endswith(HASH)) if in_bucket() else []


def _below(folder: str) -> list[str]:
    folders, files = default_storage.listdir(folder)
    found = [f"{folder}/{name}" if folder else name for name in files if name]
    return found + [name for one in folders for name in _below(f"{folder}/{one}" if folder else one)]


def forget_cached() -> int:
    """Remove from this disk what a bucket has, a day after its last change. Returns the number of files."""
    if not in_bucket():
        return 0
    before = time.time() - CACHED_SECONDS
    found = [path for folder in CACHED for path in (settings.DATA_DIR / folder).glob("*") if path.is_file()]
    old = [path for path in found if changed_at(path) < before and _whole_in_bucket(_name(path))]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def changed_at(path: Path) -> float:
    """Return when the file was last changed. If another process has just renamed or removed it: the future."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def _name(path: Path) -> str:
    """Return the object's name: PRMs have their own folder, everything else is named as in the data directory."""
    if path.is_relative_to(settings.MODELS_DIR):
        return f"{MODELS}/{path.relative_to(settings.MODELS_DIR)}"
    return str(path.relative_to(settings.DATA_DIR))
