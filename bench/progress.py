"""Progress output for the person who waits for a measurement."""

import time

BEGAN = time.monotonic()


def say(text: str) -> None:
    """Print one line with the seconds since the start."""
    print(f"{time.monotonic() - BEGAN:6.0f} s  {text}", flush=True)
