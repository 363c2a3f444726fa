"""OmegaPRM's tree search for where solutions of one problem go wrong (arXiv 2406.06592, §3.3), on a budget.

A node is a prefix with its rollouts. Each turn takes the wrong rollout that looks right the longest, from a node with
some successes: the one with the highest Q + U. Bisecting it makes new nodes of the prefixes that were tried; their own
rollouts are taken later. The given trace is the first wrong rollout from the root.

    Q(node, rollout) = ALPHA ** (1 - MC(node)) * BETA ** (tokens / LENGTH)
    U(node) = C_PUCT * sqrt(sum of N over nodes that can be taken) / (1 + N(node))

Every value is computed when a rollout is taken, so that none is stale.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from labeling.sources.marks import Hits, Marked
from labeling.sources.search import Probes

ALPHA, BETA, LENGTH, C_PUCT = 0.5, 0.9, 500, 0.125
Prefix = tuple[str, ...]


class Rollout(NamedTuple):
    """A completer's continuation: its steps, whether its answer is right (None: ungraded), and how long it is."""

    steps: Prefix
    right: bool | None
    tokens: int
    given: bool = False  # the trace that the search began with: not a trial of the completer


class Wanted(NamedTuple):
    """`n` rollouts from this prefix."""

    prefix: Prefix
    n: int


@dataclass
class Node:
    """A prefix, its rollouts, and how often one of them was taken."""

    prefix: Prefix
    rollouts: list[Rollout] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    visits: int = 0

    @property
    def hits(self) -> Hits:
        """The right ones among its graded rollouts."""
        graded = [one.right for one in self.rollouts if one.right is not None and not one.given]
        return Hits(sum(graded), len(graded))

    @property
    def chance(self) -> float | None:
        """MC: the share of right ones."""
        hits, n = self.hits
        return hits / n if n else None

    def open(self) -> list[int]:
        """Return the wrong rollouts not yet taken; none if the completer never succeeds, as then there is nothing to
        find.
        """
        if not self.chance:
            return []
        return [place for place, one in enumerate(self.rollouts) if one.right is False and place not in self.taken]


Tree = dict[Prefix, Node]
TreeSearch = Generator[Wanted, Sequence[Rollout], Tree]


def value(chance: float, tokens: int) -> float:
    """Return Q: high if the prefix looks good and its wrong rollout is short."""
    return float(ALPHA ** (1 - chance) * BETA ** (tokens / LENGTH))


def exploration(visits: int, total: int) -> float:
    """Return U: high if a node was rarely taken."""
    return C_PUCT * math.sqrt(total) / (1 + visits)


def grow(trace: Sequence[str], n: int, budget: int, *, solved: bool | None, tokens: int = 0) -> TreeSearch:
    """Grow the tree of a problem from a trace, with at most `budget` rollouts; `n` from each prefix.

    Ends early if the completer never solves it, or no rollout is left to take.
    """
    tree: Tree = {}
    used = yield from _probe(tree, (), n, min(n, budget))
    root = tree[()]
    if root.chance is None or root.chance == 0:
        return tree
    if solved is False:
        root.rollouts.append(Rollout(tuple(trace), False, tokens, given=True))
        first = len(root.rollouts) - 1
        used += yield from _bisect(tree, root, first, n, budget - used)
    while used < budget and (found := _best(tree)) is not None:
        spent = yield from _bisect(tree, *found, n, budget - used)
        used += spent
    return tree


def _best(tree: Tree) -> tuple[Node, int] | None:
    """Return the node and its rollout to take next; ties go to the shorter prefix, then to the earlier rollout."""
    nodes = [node for node in tree.values() if node.open()]
    total = sum(node.visits for node in nodes)
    candidates = [
        (value(node.chance or 0.0, node.rollouts[place].tokens) + exploration(node.visits, total), node, place)
        for node in nodes
        for place in node.open()
    ]
    if not candidates:
        return None
    _, node, place = max(candidates, key=lambda one: (one[0], -len(one[1].prefix), -one[2]))
    return node, place


def _bisect(tree: Tree, node: Node, place: int, n: int, budget: int) -> Generator[Wanted, Sequence[Rollout], int]:
    """Find where a wrong rollout goes wrong; return how many rollouts that used."""
    node.taken.add(place)
    node.visits += 1
    rest, used = node.rollouts[place].steps, 0
    low, high = 0, len(rest)
    while high - low > 1:
        middle = (low + high) // 2
        prefix = (*node.prefix, *rest[:middle])
        if prefix not in tree:
            if used + n > budget:
                return used or budget  # too few are left for another prefix: the search ends
            used += yield from _probe(tree, prefix, n, n)
        found = tree[prefix].chance
        if found is None:
            return used
        low, high = (middle, high) if found > 0 else (low, middle)
    return used


def _probe(tree: Tree, prefix: Prefix, n: int, most: int) -> Generator[Wanted, Sequence[Rollout], int]:
    asked = min(n, most)
    found = yield Wanted(prefix, asked)
    tree[prefix] = Node(prefix, list(found))
    return asked


def marked(tree: Tree, trace: Sequence[str], n: int, threshold: float, solved: bool | None) -> Marked:
    """Return what the tree says of its initial trace; the prefixes of the whole tree are counted in the evidence."""
    probes = Probes(len(trace), n, solved)
    for place in range(len(trace)):
        if (node := tree.get(tuple(trace[:place]))) is not None:
            probes.note(place, n, node.hits)
    probes.note_own_answer()
    found = probes.marked(*_boundary(probes), threshold)
    found.evidence["tree"] = {
        "prefixes": len(tree),
        "rollouts": sum(not one.given for node in tree.values() for one in node.rollouts),
        "visits": sum(node.visits for node in tree.values()),
    }
    return found


def _boundary(probes: Probes) -> tuple[int | None, str]:
    """Return the first step whose prefix has no hit while the one before it does; or why there is none."""
    if why := probes.nothing_to_search():
        return why
    for place in range(1, probes.steps + 1):
        if probes.tried(place) and not probes.hit(place) and probes.hit(place - 1):
            return place - 1, ""
    return None, "budget"
