"""The candidates of a choice, and the random orders that break ties. Pure."""

import hashlib
import math
from collections.abc import Callable
from typing import NamedTuple


class Candidate(NamedTuple):
    """A trace in the pool. `score` is the log of the trace's score, None = unscored; `key` is the hash of its text.

    `sketch` is the sketch of `text`, empty if not yet known. The last three are used by other ways of choosing: how
    unsure the scorer is, how far its heads are apart, and the score by another step scorer; None if unknown.
    """

    id: int
    problem: int
    outcome: str
    score: float | None
    sketch: bytes = b""
    key: bytes = b""
    text: str = ""
    entropy: float | None = None
    spread: float | None = None
    other: float | None = None


class Shuffled:
    """A trace's place in the seeded shuffle, computed only when compared: where scores tie."""

    __slots__ = ("_key", "_seed", "_trace")

    def __init__(self, seed: int, trace: int) -> None:
        self._seed, self._trace, self._key = seed, trace, b""

    def __lt__(self, other: "Shuffled") -> bool:
        return self.key < other.key

    @property
    def key(self) -> bytes:
        """The value that is compared."""
        self._key = self._key or shuffle_key(self._seed, self._trace)
        return self._key


Order = Callable[[Candidate], tuple[float, Shuffled]]


def order_of(seed: int) -> Order:
    """Return the sort key of the total order: most convincing first, ties by SHA-256 of "seed:id"."""

    def key(candidate: Candidate) -> tuple[float, Shuffled]:
        score = -math.inf if candidate.score is None else candidate.score
        return (-score, Shuffled(seed, candidate.id))

    return key


def shuffle_key(seed: int, trace: int) -> bytes:
    """Return the place of a trace in the seeded shuffle."""
    return hashlib.sha256(f"{seed}:{trace}".encode()).digest()


def control_start(seed: int) -> int:
    """Return where the control arm begins on the circle of 64-bit draws; signed."""
    return draw_of(hashlib.sha256(f"control:{seed}".encode()).digest())


def draw_of(key: bytes) -> int:
    """Return a trace's place on that circle: the first 64 bits of its hash, signed. It does not depend on score or
    seed.
    """
    return int.from_bytes(key[:8], "big", signed=True)


def draw_order(seed: int) -> Callable[[Candidate], tuple[int, int]]:
    start = control_start(seed)
    return lambda candidate: ((draw_of(candidate.key) - start) % (1 << 64), candidate.id)
