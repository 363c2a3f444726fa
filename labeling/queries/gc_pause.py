"""The interpreter's search for cycles of objects, which costs much where millions of objects are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """For work that makes many small objects and no cycles among them: looking for cycles takes a third of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
