"""Simulated labelers of set accuracy and habit, for replaying real traces. Pure and seeded.

A labeler's verdict on a trace depends only on the seed, the labeler and the trace, never on when they meet it or on
other verdicts. So the same people can be sent through different designs, and the same seed gives the same verdicts.

Nobody here is a real person, but four things are realistic. Traces differ in difficulty, in the same way for everybody,
so a labeler of 80 % is far more reliable on some than on others. Mistakes resemble each other: each trace has one
tempting mistake, made by half of the labelers who go wrong (independent mistakes would make every overlap look better
than it is). Errors are noticed late more often than early (in PRM800K, a wrong step 9 got its first -1 at step 26).
Time per step is log-normal.
"""

import hashlib
import math
import random
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist, fmean
from typing import Literal

from labeling.protocol.verdicts import NO_ERROR

Habit = Literal["careful", "late", "all_positive", "random"]

DIFFICULTY = 1.0  # standard deviation of a trace's difficulty, in log-odds
TEMPTED = 0.5  # share of labelers wrong on a trace who make the same mistake
MISTAKES = {"late": 0.5, "missed": 0.3, "early": 0.2}  # how labelers go wrong on a trace that has an error
LATER = 0.5  # chance of each further step of lateness
SLOWNESS = 0.4  # standard deviation of log(time per step), over labels
QUANTILES = [NormalDist().inv_cdf((place + 0.5) / 200) for place in range(200)]


@dataclass(frozen=True)
class Kind:
    """How a labeler works. `accuracy`: for careful, the share of all traces that they get right; for late, the share in
    which they see whether there is an error. `seconds`: median time per step.
    """

    name: str
    habit: Habit
    accuracy: float = 0.0
    seconds: float = 8.0


@dataclass(frozen=True)
class Truth:
    """The truth about a trace: its name, its number of steps, and its first error (NO_ERROR: none)."""

    trace: str
    steps: int
    first_error: int


@dataclass(frozen=True)
class Person:
    """One simulated labeler."""

    name: str
    kind: Kind


def verdict(person: Person, truth: Truth, seed: int) -> int:
    """Return the first error that this person finds in the trace, or NO_ERROR."""
    draw = _draw(seed, "verdict", person.name, truth.trace)
    if person.kind.habit == "all_positive":
        return NO_ERROR
    if person.kind.habit == "random":
        return draw.randrange(NO_ERROR, truth.steps)
    right = draw.random() < chance_right(person.kind.accuracy, difficulty(truth.trace, seed))
    if person.kind.habit == "late" and truth.first_error != NO_ERROR and right:
        return _later(truth, draw)
    if right:
        return truth.first_error
    if draw.random() < TEMPTED:
        draw = _draw(seed, "temptation", truth.trace)
    return _mistake(truth, draw)


def seconds_spent(person: Person, truth: Truth, seed: int) -> list[float]:
    """Return the active seconds on each step up to the one where they stop."""
    found = verdict(person, truth, seed)
    read = truth.steps if found == NO_ERROR else found + 1
    pace = person.kind.seconds * math.exp(_draw(seed, "pace", person.name, truth.trace).gauss(0, SLOWNESS))
    return [pace] * read


def ratings_of(found: int, steps: int) -> list[int | None]:
    """Return a rating per step: positive up to the first error, and none after it."""
    if found == NO_ERROR:
        return [1] * steps
    return [1] * found + [-1] + [None] * (steps - found - 1)


def difficulty(trace: str, seed: int) -> float:
    """Return how much easier than usual a trace is, in log-odds; the same for everybody."""
    return _draw(seed, "difficulty", trace).gauss(0, DIFFICULTY)


def chance_right(accuracy: float, ease: float) -> float:
    """Return the chance to be right on a trace of this ease, such that over all traces it is `accuracy`."""
    if accuracy in (0.0, 1.0):
        return accuracy
    return _logistic(_middle(accuracy) + ease)


@lru_cache
def _middle(accuracy: float) -> float:
    """Return the log-odds on a usual trace that give `accuracy` over traces of all difficulties; by bisection."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if fmean(_logistic(middle + DIFFICULTY * place) for place in QUANTILES) < accuracy:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _mistake(truth: Truth, draw: random.Random) -> int:
    """Return a wrong verdict."""
    if truth.first_error == NO_ERROR:
        return draw.randrange(truth.steps)
    [kind] = draw.choices(list(MISTAKES), list(MISTAKES.values()))
    if kind == "late" and truth.first_error < truth.steps - 1:
        return _later(truth, draw)
    if kind == "early" and truth.first_error > 0:
        return draw.randrange(truth.first_error)
    return NO_ERROR


def _later(truth: Truth, draw: random.Random) -> int:
    """Return a step some steps after the first error, at most the last step."""
    late = 1
    while draw.random() < LATER:
        late += 1
    return min(truth.first_error + late, truth.steps - 1)


def _draw(seed: int, *about: object) -> random.Random:
    text = ":".join(map(str, (seed, *about)))
    return random.Random(hashlib.sha256(text.encode()).digest())


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
