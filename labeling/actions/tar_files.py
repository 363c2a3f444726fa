"""Unpacking tar files of ours, by any Python from 3.11.0 on (whose `extractall` has no filter before 3.11.4)."""

import shutil
import tarfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import IO


def unpack(archive: tarfile.TarFile, folder: Path, only: Collection[str] | None = None) -> None:
    """All files, or those named in `only`, for their owner alone.

    A file that was linked to another one (a release's rows to those of its export) is in there once, and comes out as
    often. Raises tarfile.TarError for any other link, a device, a folder, and a name that leads out of `folder`; what
    came before it is there.
    """
    for member in archive:
        if only is not None and member.name not in only:
            continue
        name = PurePosixPath(member.name)
        if name.is_absolute() or ".." in name.parts or not (member.isfile() or member.islnk()):
            raise tarfile.TarError(f"{member.name!r} is not one of our files")
        place = folder / name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _content(archive, member) as content, place.open("xb") as file:
            place.chmod(0o600)
            shutil.copyfileobj(content, file)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    """Of what a link is to, the bytes in the archive: no file of the disk is looked at."""
    try:
        found = archive.extractfile(member)
    except KeyError:  # a link to nothing that is in there
        found = None
    if found is None:
        raise tarfile.TarError(f"{member.name!r} is not one of our files")
    return found
