"""Turns faults of a model, raised by code that knows torch, into errors of the product."""

from collections.abc import Iterator
from contextlib import contextmanager

from labeling.errors import ModelUnusable
from worker.prm.errors import PrmError


@contextmanager
def model_faults() -> Iterator[None]:
    """Raises ModelUnusable, with the fault's sentence, where the block or the decorated function raises PrmError."""
    try:
        yield
    except PrmError as fault:
        raise ModelUnusable(str(fault)) from fault
