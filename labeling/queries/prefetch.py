"""Prefetching: reading the next pieces from the database while the current one is being processed."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

READERS = 2
Piece = TypeVar("Piece")


def prefetch_pieces(reads: Sequence[Callable[[], Piece]]) -> Iterator[Piece]:
    """Yield the result of each read, in order. At most READERS + 1 pieces are held.

    Threads with their own connections, each with its own transaction, read the pieces after the current one. Postgres
    and this process then work at the same time, and while one reader unpacks its rows, the other's query runs. A single
    piece is read in the caller's thread.
    """
    if len(reads) < 2:
        yield from (read() for read in reads)
        return
    readers = [ThreadPoolExecutor(1) for _ in range(READERS)]
    ahead: deque[Future[Piece]] = deque()

    def start(number: int) -> None:
        if number < len(reads):
            ahead.append(readers[number % READERS].submit(reads[number]))

    try:
        for number in range(READERS):
            start(number)
        for number in range(len(reads)):
            piece = ahead.popleft().result()
            start(number + READERS)
            yield piece
    finally:
        for reader in readers:
            reader.submit(_close_connection).result()
            reader.shutdown()


def _close_connection() -> None:
    """Close the connections of the calling thread."""
    connections.close_all()
