"""Finished files: in the data directory, or in a bucket where OBJECT_STORAGE names one.

Every file is written, and read, on the disk of the process at work. With a bucket it is put there once it is finished,
with its hash beside it, and fetched from there by whoever needs it next: the disk is then a cache that may be lost.
"""

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

MODELS = "models"  # before the names of PRMs in the bucket
HASH = ".sha256"  # behind the name of an object: the hex hash of what was put there
CACHED_SECONDS = 24 * 3600
CHANGED = "{name} has changed on the server: its hash differs. Make it again, or restore it from a backup."
REMEMBERED = 1_000  # files of which this process knows that they hold
Holds = Callable[[Path, str], bool]
_held: dict[Path, tuple[str, int, int, int, int]] = {}
CACHED = ("exports", "releases", "imports")  # in the data directory


def put(*paths: Path) -> None:
    """Keep finished files. They stay on this disk, too, for as long as there is use for them."""
    for path in paths if in_bucket() else ():
        name = _name(path)
        with path.open("rb") as file:
            default_storage.save(name, File(file))
        default_storage.save(name + HASH, ContentFile(sha256_of(path).encode()))


def has_hash(path: Path, sha256: str) -> bool:
    """Whether the file has this hex hash."""
    return sha256_of(path) == sha256


def at_hand(path: Path, seal: str = "", holds: Holds = has_hash) -> bool:
    """Make sure that the file is on this disk, fetched if need be; False where it is nowhere. Raises FileChanged.

    `seal`: what its row keeps of it, by default its hash, which `holds` compares; without one the bucket's own word
    counts, which who may write there can change.
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
    """Found out once for as long as nothing touches the file: of a large one it takes seconds."""
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
    """An object from the bucket, whole and as `at_hand` has it, or nothing. Raises FileChanged."""
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
    """Whether it is kept, here or in the bucket."""
    return path.exists() or _whole_in_bucket(_name(path))


def _whole_in_bucket(name: str) -> bool:
    """Its hash is put there last. Both are looked for: who has lost an object has not always lost what lies beside."""
    return in_bucket() and default_storage.exists(name + HASH) and default_storage.exists(name)


def opened(path: Path) -> BinaryIO:
    """The file, to be read. An absolute name may be one that an operator gave. Raises FileGone, FileChanged."""
    try:
        if path.is_relative_to(settings.DATA_DIR):
            at_hand(path)
        return path.open("rb")
    except FileNotFoundError as gone:
        raise FileGone from gone


def hand_over(path: Path, to: Path) -> None:
    """Give a file another name on this disk, once; the bucket has it no more. Raises FileNotFoundError."""
    at_hand(path)
    os.rename(path, to)
    forget(path)


def forget(path: Path) -> None:
    """Here and in the bucket; nothing where there is none."""
    path.unlink(missing_ok=True)
    if in_bucket():
        default_storage.delete(_name(path) + HASH)
        default_storage.delete(_name(path))


def link_to(path: Path, *, file_name: str, content_type: str, size: int) -> str | None:
    """An address from which a browser gets the file for some minutes; None where this server has to send it.

    What comes from there is not looked at, but for its size. Raises FileChanged.
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
    """Keep all that lies in a folder."""
    put(*sorted(one for one in folder.rglob("*") if one.is_file()))


def folder_at_hand(folder: Path) -> None:
    """Fetch what the bucket has of a folder that is not on this disk: all of it, or nothing. Raises FileChanged."""
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
    """Every file that is kept in the bucket, hashes left out; nothing where there is none."""
    return sorted(name for name in _below("") if not name.endswith(HASH)) if in_bucket() else []


def _below(folder: str) -> list[str]:
    folders, files = default_storage.listdir(folder)
    found = [f"{folder}/{name}" if folder else name for name in files if name]
    return found + [name for one in folders for name in _below(f"{folder}/{one}" if folder else one)]


def forget_cached() -> int:
    """Where a bucket keeps them: take files off this disk that nobody touched for a day. Returns how many."""
    if not in_bucket():
        return 0
    before = time.time() - CACHED_SECONDS
    found = [path for folder in CACHED for path in (settings.DATA_DIR / folder).glob("*") if path.is_file()]
    old = [path for path in found if path.stat().st_mtime < before and _whole_in_bucket(_name(path))]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def _name(path: Path) -> str:
    """Of the object: PRMs below their own folder, all else as in the data directory."""
    if path.is_relative_to(settings.MODELS_DIR):
        return f"{MODELS}/{path.relative_to(settings.MODELS_DIR)}"
    return str(path.relative_to(settings.DATA_DIR))
