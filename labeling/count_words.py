"""Counts as sentences say them. The page's `countOf` is the same."""


def count_of(count: int, one: str, many: str = "") -> str:
    """ "1 trace", "1,200 traces"; give `many` where an s is not enough."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
