"""What waits is worked off batch by batch, the newest first, for as long as a worker has time."""

import time
from collections.abc import Callable

LAST = 2**63 - 1  # above every id


def work_off(write_batch: Callable[[int], int | None], seconds: float) -> bool:
    """Write batches until nothing waits, or for so many seconds. Answers whether it stopped with some left.

    `write_batch` gets the id below which it takes what waits, and gives the one below which the next goes on, None
    where there was nothing: no batch passes over the rows of those before it, which are gone but not cleared away.
    """
    end = time.monotonic() + seconds
    before = LAST
    while time.monotonic() < end:
        least = write_batch(before)
        if least is None and before == LAST:
            return False
        before = LAST if least is None else least
    return True
