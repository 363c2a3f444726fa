"""Unpacking tar files of ours, by any Python from 3.11.0 on (whose `extractall` has no filter before 3.11.4)."""

import shutil
import tarfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath


def unpack(archive: tarfile.TarFile, folder: Path, only: Collection[str] | None = None) -> None:
    """All files and folders, or the files named in `only`, for their owner alone.

    Raises tarfile.TarError for a link, a device, and a name that leads out of `folder`; what came before it is there.
    """
    for member in archive:
        if only is not None and member.name not in only:
            continue
        name = PurePosixPath(member.name)
        if name.is_absolute() or ".." in name.parts or not (member.isfile() or member.isdir()):
            raise tarfile.TarError(f"{member.name!r} is no file of ours")
        place = folder / name
        (place if member.isdir() else place.parent).mkdir(mode=0o700, parents=True, exist_ok=True)
        content = archive.extractfile(member)
        if content is not None:
            with content, place.open("xb") as file:
                place.chmod(0o600)
                shutil.copyfileobj(content, file)
