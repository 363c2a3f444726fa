"""The choice itself: candidates in, choices out.

The algorithm is the large-scale collection of *Let's Verify Step by Step* (arXiv 2305.20050, §4.2 and App. B): mostly
the most convincing wrong answers, and a rest of the most convincing traces of any outcome. *Convincing* is a high score
by the round's PRM; *wrong* is what the answer grader says. A random control arm, near-duplicate removal and caps are
ours.

The choice is greedy, in one order: the control arm, the convincing wrong answers, the rest. A trace is passed over if
it is a near duplicate of one already chosen. Every order is total, so the same seed gives the same ids whatever the
order in which candidates come.
"""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from labeling.selection.near_duplicates import ChosenTexts
from labeling.selection.sketches import Sketch, read_sketch, sketches_of

Reason = Literal["control", "convincing_wrong", "convincing_rest", "random"]
ORDER_OF_CHOICE: tuple[Reason, ...] = ("control", "convincing_wrong", "convincing_rest", "random")

WRONG = "wrong"
UNGRADED = "ungraded"


class Candidate(NamedTuple):
    """A trace in the pool. `score` is the log of the trace's score, None = unscored; `key` is the hash of its text.

    `sketch` is that of `text`; empty: not known yet.
    """

    id: int
    problem: int
    outcome: str
    score: float | None
    sketch: bytes = b""
    key: bytes = b""
    text: str = ""


@dataclass(frozen=True)
class Rules:
    """What a researcher chose. `k` is per problem, or over the pool where `mode` is global; None = no limit.

    `per_problem_cap` limits what is chosen of one problem, `budget` the whole round; the control arm is a share of the
    round and comes before both.
    """

    mode: Literal["per_problem", "global"]
    k: int
    seed: int
    ratio: float = 0.8
    per_problem_cap: int | None = None
    budget: int | None = None
    control_share: float = 0.0

    def __post_init__(self) -> None:
        if self.k < 1 or not 0 <= self.ratio <= 1 or not 0 <= self.control_share < 1:
            raise ValueError("k is at least 1, ratio in [0, 1], control_share in [0, 1).")

    @property
    def quota(self) -> int:
        """Places to fill by score: of each problem, or of the pool where `mode` is global."""
        if self.mode == "global" or self.per_problem_cap is None:
            return self.k
        return min(self.k, self.per_problem_cap)


class Choice(NamedTuple):
    """A chosen trace; `rank` counts from 0 in the order of choice."""

    id: int
    problem: int
    reason: Reason
    rank: int
    score: float | None


@dataclass(frozen=True)
class Selection:
    """What was chosen, in order; how many candidates were dropped and why; how many quota the pool left empty."""

    chosen: list[Choice]
    dropped: dict[str, int] = field(default_factory=dict)
    shortfall: int = 0
    fell_back_to_random: bool = False


TextOf = Callable[[Candidate], str]
SketchOf = Callable[[Candidate], bytes]
Arms = Mapping[Reason, Sequence[Candidate]]


class Picker:
    """Takes candidates in the order they come, passing over what is taken already and near duplicates of it.

    `text_of` gives a candidate's text, asked only where sketches do not tell it from one that is taken; `sketch_of`
    its sketch, where the candidate has none.
    """

    def __init__(
        self,
        text_of: TextOf = lambda candidate: candidate.text,
        sketch_of: SketchOf = lambda candidate: sketches_of([candidate.text])[0],
    ) -> None:
        self.taken: defaultdict[int, set[int]] = defaultdict(set)  # per problem
        self.near: set[int] = set()  # passed over as near duplicates
        self.by_score: Counter[int] = Counter()  # per problem, what counts for the cap
        self._text_of, self._sketch_of = text_of, sketch_of
        self._texts: dict[int, ChosenTexts[Candidate]] = {}

    def take(self, ordered: Iterable[Candidate], quota: int, *, cap: int | None = None) -> list[Candidate]:
        """The first `quota` that may be taken, at most `cap` of a problem. Reads no further than it must."""
        found: list[Candidate] = []
        if quota <= 0:
            return found
        for candidate in ordered:
            taken = self.taken[candidate.problem]
            if candidate.id in taken or candidate.id in self.near:
                continue
            if cap is not None and self.by_score[candidate.problem] >= cap:
                continue
            if not self._chosen_of(candidate.problem).add_unless_near(
                candidate, self._sketch(candidate), self._text_of
            ):
                self.near.add(candidate.id)
                continue
            taken.add(candidate.id)
            self.by_score[candidate.problem] += cap is not None
            found.append(candidate)
            if len(found) == quota:
                break
        return found

    def for_problem(self, problem: int, text_of: TextOf | None = None, sketch_of: SketchOf | None = None) -> "Picker":
        """One that knows what this one took of `problem`, and leaves this one as it is."""
        picker = Picker(text_of or self._text_of, sketch_of or self._sketch_of)
        if problem in self.taken:
            picker.taken[problem] = set(self.taken[problem])
            picker._texts[problem] = self._chosen_of(problem).copy()
        return picker

    def suspects(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Of these and of what is taken, those whose texts may be asked for if these are offered next."""
        offered: dict[int, ChosenTexts[Candidate]] = {}
        found = []
        for candidate in candidates:
            known = offered.get(candidate.problem)
            if known is None:
                known = offered[candidate.problem] = self._chosen_of(candidate.problem).copy()
            sketch = self._sketch(candidate)
            if others := known.suspects(sketch):
                found += [candidate, *others]
            known.add(candidate, sketch)
        return found

    def _chosen_of(self, problem: int) -> ChosenTexts[Candidate]:
        found = self._texts.get(problem)
        if found is None:
            found = self._texts[problem] = ChosenTexts()
        return found

    def _sketch(self, candidate: Candidate) -> Sketch:
        return read_sketch(candidate.sketch or self._sketch_of(candidate))


def select(
    candidates: Iterable[Candidate],
    rules: Rules,
    *,
    excluded: frozenset[bytes] = frozenset(),
    stop: Callable[[], None] = lambda: None,
) -> Selection:
    """Choose traces by `rules`, leaving out those whose key is `excluded` (labeled or queued already).

    A pool without any score falls back to a seeded random choice without a control arm, and says so. `stop` is called
    between problems and may raise to end a long run. The whole pool is held in memory: `labeling.queries.selection`
    makes the same choice from the database, of which this is the law.
    """
    dropped: Counter[str] = Counter()
    pool = _without_duplicates(candidates, rules.seed, excluded, dropped)
    scored = [candidate for candidate in pool if candidate.score is not None]
    random_only = bool(pool) and not scored
    if not random_only:
        dropped["unscored"] += len(pool) - len(scored)
        pool = scored
    picker = Picker()
    problems = len({candidate.problem for candidate in pool})
    control: list[Candidate] = []
    if not random_only:
        drawn = sorted(pool, key=_draw_order(rules.seed))
        control = picker.take(drawn, control_size(rules, problems))
    by_mode = _over_the_pool if rules.mode == "global" else _per_problem
    arms, shortfall = by_mode(pool, rules, picker, random_only, stop)
    chosen, cut = ranked({"control": control, **arms}, rules)
    dropped |= Counter(near_duplicate=len(picker.near), over_budget=cut)
    shortfall = left_empty(shortfall, rules, len(chosen))
    return Selection(chosen, {why: n for why, n in dropped.items() if n}, shortfall, random_only)


class Shuffled:
    """A trace's place in the seeded shuffle, worked out only where it is compared: where scores tie."""

    __slots__ = ("_key", "_seed", "_trace")

    def __init__(self, seed: int, trace: int) -> None:
        self._seed, self._trace, self._key = seed, trace, b""

    def __lt__(self, other: "Shuffled") -> bool:
        return self.key < other.key

    @property
    def key(self) -> bytes:
        """What it is compared by."""
        self._key = self._key or shuffle_key(self._seed, self._trace)
        return self._key


Order = Callable[[Candidate], tuple[float, Shuffled]]


def order_of(seed: int) -> Order:
    """The sort key of the total order: most convincing first, ties by SHA-256 of "seed:id"."""

    def key(candidate: Candidate) -> tuple[float, Shuffled]:
        score = -math.inf if candidate.score is None else candidate.score
        return (-score, Shuffled(seed, candidate.id))

    return key


def shuffle_key(seed: int, trace: int) -> bytes:
    """The place of a trace in the seeded shuffle."""
    return hashlib.sha256(f"{seed}:{trace}".encode()).digest()


def wrong_quota(ratio: float, k: int) -> int:
    """How many of `k` quota are for wrong answers: `ratio * k`, halves rounded up."""
    return math.floor(ratio * k + 0.5)


def control_size(rules: Rules, problems: int) -> int:
    """How many of the round are drawn at random: a share of all its quota, from a pool of so many problems."""
    size = rules.quota * problems if rules.mode == "per_problem" else rules.quota
    if rules.budget is not None:
        size = min(size, rules.budget)
    return math.floor(rules.control_share * size + 0.5)


def control_start(seed: int) -> int:
    """Where on the circle of 64-bit draws the control arm begins; signed."""
    return draw_of(hashlib.sha256(f"control:{seed}".encode()).digest())


def draw_of(key: bytes) -> int:
    """A trace's place on that circle: the first 64 bits of its hash, signed. It owes nothing to score or seed."""
    return int.from_bytes(key[:8], "big", signed=True)


def ranked(arms: Arms, rules: Rules) -> tuple[list[Choice], int]:
    """Choices of all arms in the order of choice, cut at the budget, and how many were cut.

    The control arm comes first, so that a budget never cuts it, and the rest last.
    """
    picked = [(candidate, reason) for reason in ORDER_OF_CHOICE for candidate in arms.get(reason, ())]
    kept = picked if rules.budget is None else picked[: rules.budget]
    chosen = [
        Choice(candidate.id, candidate.problem, reason, rank, candidate.score)
        for rank, (candidate, reason) in enumerate(kept)
    ]
    return chosen, len(picked) - len(kept)


def left_empty(quota: int, rules: Rules, chosen: int) -> int:
    """Of so many quota without a trace, those that the pool left so: none in a round that has reached its budget."""
    return 0 if rules.budget is not None and chosen >= rules.budget else quota


def _draw_order(seed: int) -> Callable[[Candidate], tuple[int, int]]:
    start = control_start(seed)
    return lambda candidate: ((draw_of(candidate.key) - start) % (1 << 64), candidate.id)


def _without_duplicates(
    candidates: Iterable[Candidate], seed: int, excluded: frozenset[bytes], dropped: Counter[str]
) -> list[Candidate]:
    """Gradeable candidates in their order, one per text: of exact duplicates the lowest id wins."""
    first: dict[bytes, Candidate] = {}
    for candidate in candidates:
        if candidate.key in excluded:
            dropped["already_labeled_or_queued"] += 1
        elif candidate.outcome == UNGRADED:
            dropped["ungraded"] += 1
        elif candidate.key not in first:
            first[candidate.key] = candidate
        else:
            dropped["exact_duplicate"] += 1
            if candidate.id < first[candidate.key].id:
                first[candidate.key] = candidate
    return sorted(map(_with_a_number, first.values()), key=order_of(seed))


def _with_a_number(candidate: Candidate) -> Candidate:
    """A score that is no number is no score."""
    not_one = candidate.score is not None and math.isnan(candidate.score)
    return candidate._replace(score=None) if not_one else candidate


def _over_the_pool(
    pool: Sequence[Candidate], rules: Rules, picker: Picker, random_only: bool, stop: Callable[[], None]
) -> tuple[Arms, int]:
    stop()
    return _take_top(pool, rules, picker, random_only, cap=rules.per_problem_cap)


def _per_problem(
    pool: Sequence[Candidate], rules: Rules, picker: Picker, random_only: bool, stop: Callable[[], None]
) -> tuple[Arms, int]:
    """Each problem by itself; each arm of the round is then put in the order of scores."""
    groups: defaultdict[int, list[Candidate]] = defaultdict(list)
    for candidate in pool:
        groups[candidate.problem].append(candidate)
    arms: defaultdict[Reason, list[Candidate]] = defaultdict(list)
    shortfall = 0
    for group in groups.values():
        stop()
        of_problem, short = _take_top(group, rules, picker, random_only)
        shortfall += short
        for reason, arm in of_problem.items():
            arms[reason] += arm
    return {reason: sorted(arm, key=order_of(rules.seed)) for reason, arm in arms.items()}, shortfall


def _take_top(
    ordered: Sequence[Candidate], rules: Rules, picker: Picker, random_only: bool, *, cap: int | None = None
) -> tuple[Arms, int]:
    """The first of an ordered pool or problem: the wrong answers' share, then the rest of any outcome.

    Places for wrong answers that the pool cannot fill stay empty: they are the shortfall, and are not filled up.
    """
    if random_only:
        drawn = picker.take(ordered, rules.quota, cap=cap)
        return {"random": drawn}, rules.quota - len(drawn)
    for_wrong = wrong_quota(rules.ratio, rules.quota)
    wrong = picker.take((candidate for candidate in ordered if candidate.outcome == WRONG), for_wrong, cap=cap)
    rest = picker.take(ordered, rules.quota - for_wrong, cap=cap)
    return {"convincing_wrong": wrong, "convincing_rest": rest}, rules.quota - len(wrong) - len(rest)
