"""Which traces people should look at because two of three disagree: a machine, another one, people. Pure.

The difference of two first errors is 1 if one of them is "no error", else their distance as a share of the trace.
Traces are ordered by this difference times its cost: a miss (the first finds no error where the other finds one) costs
as much as `miss_costs` false alarms. Ties go to more steps in dispute, then to the trace's own draw. The control arm is
drawn first, from all traces that both judged, in an order that depends neither on their verdicts nor on the difference.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from labeling.selection.candidates import control_start, draw_of, shuffle_key

NO_ERROR = -1  # same as in verdicts; selection does not import protocol


class Disputed(NamedTuple):
    """A trace of `steps` steps with two first errors; `key`: the hash of its text."""

    id: int
    one: int
    other: int
    steps: int
    key: bytes


@dataclass(frozen=True)
class DisagreementRules:
    """How many traces in all (`size`), and what share of them is the control arm."""

    size: int
    seed: int
    control_share: float = 0.1
    miss_costs: float = 1.0


class ChosenTrace(NamedTuple):
    """A trace with its `reason` (disagreement or control) and its `score`, the weighted difference."""

    id: int
    reason: str
    rank: int
    score: float


def difference(one: int, other: int, steps: int) -> float:
    """Return how far two first errors are apart, from 0 to 1."""
    if one == other:
        return 0.0
    return 1.0 if NO_ERROR in (one, other) else abs(one - other) / steps


def weighed(trace: Disputed, miss_costs: float) -> float:
    """Return the difference times its cost."""
    missed = trace.one == NO_ERROR != trace.other
    return difference(trace.one, trace.other, trace.steps) * (miss_costs if missed else 1.0)


def choose_disagreements(traces: Iterable[Disputed], rules: DisagreementRules) -> list[ChosenTrace]:
    """Choose the control arm, then the largest disagreements. If there are too few, the choice is smaller: it is not
    filled up.
    """
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
    """Return how many of the round are drawn at random; never all of it."""
    return min(pool, rules.size - 1, math.floor(rules.control_share * rules.size + 0.5))


def _at_stake(trace: Disputed) -> int:
    """Return how many steps one of the two would label wrongly."""
    ends = [trace.steps if first == NO_ERROR else first for first in (trace.one, trace.other)]
    return abs(ends[0] - ends[1])


def _place(rules: DisagreementRules, trace: Disputed) -> bytes:
    return shuffle_key(rules.seed, trace.id)
