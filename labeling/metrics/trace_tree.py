"""The traces of one problem as a tree: shared steps appear once, and forks show where traces part. Pure.

Steps are the same if `carry_over.normalised_step` says so and all steps before them are the same. A *branch* is a run
of steps that the same traces share: it ends where they part, or where one of them ends.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from labeling.protocol.carry_over import normalised_step


@dataclass(frozen=True)
class Voice:
    """What one person, one source of machine labels or a file says of a trace's steps.

    `name` tells sources apart; a person's is empty. `ratings` may be shorter than the trace. `first_error`: a step,
    NO_ERROR, or None if it does not say. `unlooked_at`: places of which its first error says nothing.
    """

    name: str
    ratings: Sequence[int | None] = ()
    first_error: int | None = None
    unlooked_at: frozenset[int] = frozenset()

    @property
    def is_person(self) -> bool:
        """Whether a person rated these steps here."""
        return self.name == ""


@dataclass(frozen=True)
class TreeTrace:
    """A trace as input of the tree.

    `scores`: by the scorer that is shown. `rollouts`: by source, for each step the right and all graded rollouts from
    after it.
    """

    id: int
    steps: Sequence[str]
    outcome: str = "ungraded"
    answer: str | None = None
    scores: Sequence[float | None] = ()
    voices: Sequence[Voice] = ()
    rollouts: Mapping[str, Sequence[tuple[int, int] | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Branch:
    """`length` steps from the step `start`, which `traces` share together with all steps before them; `parent` is the
    number of the branch it continues, None at the root.
    """

    number: int
    parent: int | None
    start: int
    length: int
    traces: Sequence[TreeTrace]

    @property
    def end(self) -> int:
        """The step after its last one."""
        return self.start + self.length

    @property
    def ending(self) -> list[TreeTrace]:
        """The traces that end here."""
        return [trace for trace in self.traces if len(trace.steps) == self.end]


def branches_of(traces: Iterable[TreeTrace]) -> list[Branch]:
    """Return the tree, each branch before those that continue it; of these, the one with the most traces first.

    The tree does not depend on the order of the traces. Traces need at least one step.
    """
    same = SameSteps()
    found: list[Branch] = []
    ordered = sorted(traces, key=lambda trace: trace.id)
    waiting = [(None, 0, group) for group in reversed(same.parted(ordered, 0))]
    while waiting:
        parent, start, group = waiting.pop()
        end = same.shared_until(group, start)
        branch = Branch(len(found), parent, start, end - start, group)
        found.append(branch)
        further = [trace for trace in group if len(trace.steps) > end]
        waiting.extend((branch.number, end, part) for part in reversed(same.parted(further, end)))  # type: ignore[misc]
    return found


class SameSteps:
    """Which of a tree's texts are the same step. Each text is normalised once, and not at all if no other text may
    equal it: that holds for most of a thousand samples, and normalising takes the time.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def parted(self, traces: Sequence[TreeTrace], at: int) -> list[list[TreeTrace]]:
        """Return the traces by their step `at`, largest group first; of equal ones the group with the oldest trace."""
        if len(traces) == 1:
            return [list(traces)]
        groups: dict[str, list[TreeTrace]] = {}
        for trace in traces:
            groups.setdefault(self._key(trace.steps[at]), []).append(trace)
        return sorted(groups.values(), key=lambda group: (-len(group), group[0].id))

    def shared_until(self, traces: Sequence[TreeTrace], start: int) -> int:
        """Return the first step after `start` that is not the same in all of them."""
        shortest = min(len(trace.steps) for trace in traces)
        at = shortest if len(traces) == 1 else start + 1
        while at < shortest and self._alike({trace.steps[at] for trace in traces}):
            at += 1
        return at

    def _alike(self, texts: set[str]) -> bool:
        return len(texts) == 1 or len({self._key(text) for text in texts}) == 1

    def _key(self, text: str) -> str:
        if text not in self._known:
            self._known[text] = normalised_step(text)
        return self._known[text]
