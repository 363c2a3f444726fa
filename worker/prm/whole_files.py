"""Writes files completely or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(file: Path, part: Path) -> Iterator[None]:
    """Let the block write `part`, then give it its final name. On failure, such as a full disk, free its space."""
    try:
        yield
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    put_in_place(part, file)


def put_in_place(part: Path, file: Path) -> None:
    """Rename the part. If killed before, the file is as it was; after, it is new."""
    os.replace(part, file)
