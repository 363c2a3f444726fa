"""How many labelers a trace still needs: overlap that adapts to disagreement. Pure.

ProcessBench (arXiv 2412.06559, §3) asks three people and then more, one by one up to five, until three agree on the
first error; open traces are set aside. Here the project sets the base, the needed votes and the maximum (by default
two, up to five, until two agree: docs/decisions/0011-two-labelers-first.md), and open traces go to adjudication.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal


def overlap_faults(base: int, needed: int, most: int) -> dict[str, str]:
    """Return why these are no valid Overlap, keyed by the invalid field: `most`, `needed`."""
    if most == needed == 0:
        return {}
    faults = {}
    if most < base:
        faults["most"] = f"At least the {base} labels that every task gets, or 0 for a fixed overlap."
    if not 1 <= needed <= most:
        faults["needed"] = f"From 1 to the maximum of {most}; both are 0 for a fixed overlap."
    return faults


@dataclass(frozen=True)
class Overlap:
    """`base` labelers label every trace; if they differ, more are asked, up to `most`, until `needed` agree.

    If `needed` and `most` are 0, the overlap is fixed and no more labelers are asked.
    """

    base: int = 2
    needed: int = 2
    most: int = 5

    def __post_init__(self) -> None:
        if self.base < 1 or overlap_faults(self.base, self.needed, self.most):
            raise ValueError("base and needed are between 1 and most, or needed and most are both 0.")

    @property
    def adapts(self) -> bool:
        """Whether more labelers are asked if labels differ."""
        return (self.needed, self.most) != (0, 0)


@dataclass(frozen=True)
class AskedOverlap:
    """The requested overlap. All None: the project's own; only a base: fixed."""

    base: int | None = None
    needed: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class Decision:
    """What follows from the verdicts so far; `ask` is how many more labelers to ask now, `verdict` the settled one."""

    state: Literal["settled", "ask", "no_consensus"]
    verdict: Hashable = None
    ask: int = 0


NO_CONSENSUS = Decision("no_consensus")


def decide(verdicts: Sequence[Hashable], overlap: Overlap) -> Decision:
    """Settle, ask more labelers, or give up, given one verdict per submitted label in any order.

    A verdict is a first error, NO_ERROR, or any other class a project counts (a bad problem). None is a label without a
    verdict (gave up): it uses a slot, but is no vote. Labelers who agree at the base settle the trace even if `needed`
    is more than `base`, because nobody disagreed. The answer does not depend on the order of the labels. For adaptive
    overlaps only.
    """
    votes = Counter(verdict for verdict in verdicts if verdict is not None)
    cast, slots = sum(votes.values()), overlap.most - len(verdicts)
    if cast < overlap.base:
        return Decision("ask", ask=min(overlap.base - cast, slots)) if slots > 0 else _at_the_end(votes, overlap)
    leader = _leader(votes)
    if leader is not None and (len(votes) == 1 or votes[leader] >= overlap.needed):
        return Decision("settled", leader)
    # Asking more labelers only makes sense while some verdict can still get enough votes.
    if slots > 0 and max(votes.values()) + slots >= overlap.needed:
        return Decision("ask", ask=1)
    return NO_CONSENSUS


def _at_the_end(votes: Counter[Hashable], overlap: Overlap) -> Decision:
    """All slots are used and some labelers gave up: enough votes for one verdict still settle it."""
    leader = _leader(votes)
    return Decision("settled", leader) if leader is not None and votes[leader] >= overlap.needed else NO_CONSENSUS


def _leader(votes: Counter[Hashable]) -> Hashable:
    """Return the verdict with the most votes; None if two are tied."""
    first, *others = votes.most_common(2) or [(None, 0)]
    return None if others and others[0][1] == first[1] else first[0]
