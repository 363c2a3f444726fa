"""Writes files completely or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(file: Path, part: Path) -> Iterator[None]:
    """The block writes `part`, which then gets its name. Where it fails, as on a full disk, the part's space is given
    back at once.
    """
    try:
        yield
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    put_in_place(part, file)


def put_in_place(part: Path, file: Path) -> None:
    """Killed before it, the file is as it was; after it, new."""
    os.replace(part, file)
