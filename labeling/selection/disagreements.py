"""Which traces people look at because two of three do not agree: a machine, another one, people. Pure.

Two first errors differ wholly where one is "no error", else by their distance as a share of the trace. What differs
comes first by that, times what being wrong costs: a miss (the first of the two sees no error where the other sees one)
counts `miss_costs` false alarms. Ties go to more steps in dispute, then to the trace's own draw. The control arm is
drawn before, from all that both spoke of, by an order that knows neither what they said nor the difference.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from labeling.selection.candidates import control_start, draw_of, shuffle_key

NO_ERROR = -1  # as verdicts have it; selection knows no protocol


class Disputed(NamedTuple):
    """A trace of so many steps with two first errors; `key`: the hash of its text."""

    id: int
    one: int
    other: int
    steps: int
    key: bytes


@dataclass(frozen=True)
class DisagreementRules:
    """So many traces in all, a share of them as the control arm."""

    size: int
    seed: int
    control_share: float = 0.1
    miss_costs: float = 1.0


class ChosenTrace(NamedTuple):
    """`reason`: disagreement or control. `score`: how far they differ, weighed."""

    id: int
    reason: str
    rank: int
    score: float


def difference(one: int, other: int, steps: int) -> float:
    """How far two first errors are apart: 0 to 1."""
    if one == other:
        return 0.0
    return 1.0 if NO_ERROR in (one, other) else abs(one - other) / steps


def weighed(trace: Disputed, miss_costs: float) -> float:
    """The difference times what being wrong costs."""
    missed = trace.one == NO_ERROR != trace.other
    return difference(trace.one, trace.other, trace.steps) * (miss_costs if missed else 1.0)


def choose_disagreements(traces: Iterable[Disputed], rules: DisagreementRules) -> list[ChosenTrace]:
    """The control arm, then what they disagree on most. Fewer where they disagree on fewer: none is filled up."""
    pool = sorted(traces, key=lambda trace: trace.id)
    start = control_start(rules.seed)
    drawn = sorted(pool, key=lambda trace: ((draw_of(trace.key) - start) % (1 << 64), trace.id))
    control = drawn[: control_of(rules, len(pool))]
    taken = {trace.id for trace in control}
    differing = [trace for trace in pool if trace.one != trace.other and trace.id not in taken]
    differing.sort(key=lambda trace: (-weighed(trace, rules.miss_costs), -_at_stake(trace), _place(rules, trace)))
    arms = [(trace, "control") for trace in control]
    arms += [(trace, "disagreement") for trace in differing[: rules.size - len(control)]]
    return [
        ChosenTrace(trace.id, arm, rank, weighed(trace, rules.miss_costs)) for rank, (trace, arm) in enumerate(arms)
    ]


def control_of(rules: DisagreementRules, pool: int) -> int:
    """How many of the round are drawn at random; never all of it."""
    return min(pool, rules.size - 1, math.floor(rules.control_share * rules.size + 0.5))


def _at_stake(trace: Disputed) -> int:
    """How many steps one of the two would label wrongly."""
    ends = [trace.steps if first == NO_ERROR else first for first in (trace.one, trace.other)]
    return abs(ends[0] - ends[1])


def _place(rules: DisagreementRules, trace: Disputed) -> bytes:
    return shuffle_key(rules.seed, trace.id)
