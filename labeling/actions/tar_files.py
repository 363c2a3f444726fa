"""Unpacking our own tar files with any Python since 3.11.0 (whose `extractall` has no filter before 3.11.4)."""

import shutil
import tarfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import IO


def unpack(archive: tarfile.TarFile, folder: Path, only: Collection[str] | None = None) -> None:
    """Unpack all files, or those named in `only`, readable by their owner alone.

    A file that was linked to another one (a release's rows to those of its export) is stored once, and unpacked as
    often as it is named. Raises tarfile.TarError for any other link, a device, a folder, and a name that leads out of
    `folder`; files unpacked before that stay.
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
    """Return a member's bytes. A link is only followed inside the archive, never to files on the disk."""
    try:
        found = archive.extractfile(member)
    except KeyError:  # a link to nothing in the archive
        found = None
    if found is None:
        raise tarfile.TarError(f"{member.name!r} is not one of our files")
    return found
