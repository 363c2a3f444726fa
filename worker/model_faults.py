"""Turns a model's faults, raised by code that uses torch, into errors of the product."""

from collections.abc import Iterator
from contextlib import contextmanager

from labeling.errors import ModelUnusable
from worker.prm.errors import PrmError


@contextmanager
def model_faults() -> Iterator[None]:
    """Raise ModelUnusable with the fault's message if the block or the decorated function raises PrmError."""
    try:
        yield
    except PrmError as fault:
        raise ModelUnusable(str(fault)) from fault
