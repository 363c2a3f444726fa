"""The choice itself: candidates in, choices out.

The algorithm is the large-scale collection of *Let's Verify Step by Step* (arXiv 2305.20050, §4.2 and App. B): mostly
the most convincing wrong answers, and a rest of the most convincing traces of any outcome. *Convincing* means a high
score by the round's PRM; the answer grader decides what is *wrong*. The random control arm, near-duplicate removal,
caps and the other ways of choosing that may have a share (`labeling.selection.mixes`) are our additions.

The choice is greedy, in one order: the control arm, the other ways, the convincing wrong answers, the rest. A trace is
skipped if it is a near duplicate of one already chosen. Every order is total, so the same seed gives the same ids
whatever the order of the candidates.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from labeling.selection import texts
from labeling.selection.candidates import Candidate, draw_order, order_of
from labeling.selection.mixes import BY_TEXT, CONVINCING_ONLY, WAYS, Mix, Way
from labeling.selection.near_duplicates import ChosenTexts
from labeling.selection.sketches import Sketch, read_sketch, sketches_of
from labeling.selection.ways import by_text, in_order

Reason = Literal["control", Way, "convincing_wrong", "convincing_rest", "random"]
ORDER_OF_CHOICE: tuple[Reason, ...] = ("control", *WAYS, "convincing_wrong", "convincing_rest", "random")

WRONG = "wrong"
UNGRADED = "ungraded"


@dataclass(frozen=True)
class Rules:
    """A researcher's rules. `k` is per problem, or for the whole pool if `mode` is global; None = no limit.

    `per_problem_cap` limits the traces chosen per problem, `budget` the whole round. The control arm is a share of the
    round and comes before both. `mix` gives part of the quota to other ways of choosing; it needs the global mode.
    """

    mode: Literal["per_problem", "global"]
    k: int
    seed: int
    ratio: float = 0.8
    per_problem_cap: int | None = None
    budget: int | None = None
    control_share: float = 0.0
    mix: Mix = CONVINCING_ONLY

    def __post_init__(self) -> None:
        if self.k < 1 or not 0 <= self.ratio <= 1 or not 0 <= self.control_share < 1:
            raise ValueError("k must be at least 1, ratio in [0, 1], control_share in [0, 1).")
        if self.mix.asked and self.mode != "global":
            raise ValueError("A mix is chosen from the whole pool: mode must be global.")

    @property
    def quota(self) -> int:
        """How many traces to choose: per problem, or from the pool if `mode` is global."""
        if self.mode == "global" or self.per_problem_cap is None:
            return self.k
        return min(self.k, self.per_problem_cap)

    @property
    def convincing(self) -> int:
        """How many of `quota` the mix leaves for convincing traces."""
        return self.quota - sum(self.mix.quotas(self.quota).values())


class Choice(NamedTuple):
    """A chosen trace; `rank` counts from 0 in the order of choice."""

    id: int
    problem: int
    reason: Reason
    rank: int
    score: float | None


@dataclass(frozen=True)
class Selection:
    """The chosen traces, in order; how many candidates were dropped and why; how far the pool missed the quota."""

    chosen: list[Choice]
    dropped: dict[str, int] = field(default_factory=dict)
    shortfall: int = 0
    fell_back_to_random: bool = False


TextOf = Callable[[Candidate], str]
SketchOf = Callable[[Candidate], bytes]
Arms = Mapping[Reason, Sequence[Candidate]]


class GreedyChooser:
    """Greedy selection without near duplicates: takes candidates in the order given and skips those that are already
    taken or nearly the same as one that is.

    `text_of` returns a candidate's text; it is called only if sketches cannot tell it from a taken one. `sketch_of`
    returns its sketch if the candidate has none.
    """

    def __init__(
        self,
        text_of: TextOf = lambda candidate: candidate.text,
        sketch_of: SketchOf = lambda candidate: sketches_of([candidate.text])[0],
    ) -> None:
        self.taken: defaultdict[int, set[int]] = defaultdict(set)  # per problem
        self.near: set[int] = set()  # skipped as near duplicates
        self.by_score: Counter[int] = Counter()  # per problem, how many count towards the cap
        self._text_of, self._sketch_of = text_of, sketch_of
        self._texts: dict[int, ChosenTexts[Candidate]] = {}

    def take(self, ordered: Iterable[Candidate], quota: int, *, cap: int | None = None) -> list[Candidate]:
        """Take the first `quota` that may be taken, at most `cap` per problem. Reads no further than needed."""
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

    def for_problem(
        self, problem: int, text_of: TextOf | None = None, sketch_of: SketchOf | None = None
    ) -> "GreedyChooser":
        """Return a new chooser that knows what this one took of `problem`; this one stays unchanged."""
        greedy = GreedyChooser(text_of or self._text_of, sketch_of or self._sketch_of)
        if problem in self.taken:
            greedy.taken[problem] = set(self.taken[problem])
            greedy._texts[problem] = self._chosen_of(problem).copy()
        return greedy

    def suspects(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return those of these and of the taken ones whose texts may be needed if these are offered next."""
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
    named: Sequence[str] = (),
    stop: Callable[[], None] = lambda: None,
) -> Selection:
    """Choose traces by `rules`, leaving out those whose key is in `excluded` (already labeled or queued).

    A pool without any score falls back to a seeded random choice and reports it; it has a control arm only with a mix.
    `named`: the texts of `rules.mix.like_traces`. `stop` is called between problems and may raise to end a long run.
    The whole pool is held in memory: this is the reference implementation of `select_from`, which reads no more of the
    pool than it needs.
    """
    dropped: Counter[str] = Counter()
    pool = _without_duplicates(candidates, rules.seed, excluded, dropped)
    scored = [candidate for candidate in pool if candidate.score is not None]
    random_only = bool(pool) and not scored
    if not random_only:
        dropped["unscored"] += len(pool) - len(scored)
        pool = scored
    greedy = GreedyChooser()
    problems = len({candidate.problem for candidate in pool})
    control: list[Candidate] = []
    drawn = pool if random_only else sorted(pool, key=draw_order(rules.seed))
    if not random_only or rules.mix.asked:
        control = greedy.take(drawn, control_size(rules, problems))
    mixed: dict[Reason, list[Candidate]] = {
        one: greedy.take(_by_way(one, quota, drawn, rules, named, stop), quota, cap=rules.per_problem_cap)
        for one, quota in rules.mix.quotas(rules.quota).items()
    }
    by_mode = _over_the_pool if rules.mode == "global" else _per_problem
    arms, shortfall = by_mode(pool, rules, greedy, random_only, stop)
    chosen, cut = ranked({"control": control, **mixed, **arms}, rules)
    dropped |= Counter(near_duplicate=len(greedy.near), over_budget=cut)
    shortfall += rules.quota - rules.convincing - sum(map(len, mixed.values())) if mixed else 0
    shortfall = left_empty(shortfall, rules, len(chosen))
    return Selection(chosen, {why: n for why, n in dropped.items() if n}, shortfall, random_only)


def wrong_quota(ratio: float, k: int) -> int:
    """Return how many of a quota of `k` are for wrong answers: `ratio * k`, halves rounded up."""
    return math.floor(ratio * k + 0.5)


def control_size(rules: Rules, problems: int) -> int:
    """Return how many of the round are drawn at random: a share of its quota, from a pool with this many problems."""
    size = rules.quota * problems if rules.mode == "per_problem" else rules.quota
    if rules.budget is not None:
        size = min(size, rules.budget)
    return math.floor(rules.control_share * size + 0.5)


def ranked(arms: Arms, rules: Rules) -> tuple[list[Choice], int]:
    """Return the choices of all arms in the order of choice, cut at the budget, and how many were cut.

    The control arm comes first, so that the budget never cuts it, and the rest comes last.
    """
    picked = [(candidate, reason) for reason in ORDER_OF_CHOICE for candidate in arms.get(reason, ())]
    kept = picked if rules.budget is None else picked[: rules.budget]
    chosen = [
        Choice(candidate.id, candidate.problem, reason, rank, candidate.score)
        for rank, (candidate, reason) in enumerate(kept)
    ]
    return chosen, len(picked) - len(kept)


def left_empty(missing: int, rules: Rules, chosen: int) -> int:
    """Return how many missing traces the pool could not supply: none if the round has reached its budget."""
    return 0 if rules.budget is not None and chosen >= rules.budget else missing


def _by_way(
    way: Way,
    quota: int,
    drawn: Sequence[Candidate],
    rules: Rules,
    named: Sequence[str],
    stop: Callable[[], None],
) -> list[Candidate]:
    """Return the pool in the order of `way`. `drawn`: the pool in a random order, whose first texts are compared."""
    if way not in BY_TEXT:
        return in_order(way, drawn, rules.seed)
    seen = [one for one in drawn[: texts.MOST] if way == "typical" or one.id not in rules.mix.like_traces]
    said = [one.text for one in seen]
    return by_text(way, seen, said, named=named, clusters=quota, seed=rules.seed, stop=stop)


def _without_duplicates(
    candidates: Iterable[Candidate], seed: int, excluded: frozenset[bytes], dropped: Counter[str]
) -> list[Candidate]:
    """Return gradable candidates in order, one per text: of exact duplicates the lowest id wins."""
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
    """Treat a NaN score as no score."""
    not_one = candidate.score is not None and math.isnan(candidate.score)
    return candidate._replace(score=None) if not_one else candidate


def _over_the_pool(
    pool: Sequence[Candidate], rules: Rules, greedy: GreedyChooser, random_only: bool, stop: Callable[[], None]
) -> tuple[Arms, int]:
    stop()
    return _take_top(pool, rules, greedy, random_only, cap=rules.per_problem_cap)


def _per_problem(
    pool: Sequence[Candidate], rules: Rules, greedy: GreedyChooser, random_only: bool, stop: Callable[[], None]
) -> tuple[Arms, int]:
    """Choose within each problem, then sort each arm of the round by score."""
    groups: defaultdict[int, list[Candidate]] = defaultdict(list)
    for candidate in pool:
        groups[candidate.problem].append(candidate)
    arms: defaultdict[Reason, list[Candidate]] = defaultdict(list)
    shortfall = 0
    for group in groups.values():
        stop()
        of_problem, short = _take_top(group, rules, greedy, random_only)
        shortfall += short
        for reason, arm in of_problem.items():
            arms[reason] += arm
    return {reason: sorted(arm, key=order_of(rules.seed)) for reason, arm in arms.items()}, shortfall


def _take_top(
    ordered: Sequence[Candidate], rules: Rules, greedy: GreedyChooser, random_only: bool, *, cap: int | None = None
) -> tuple[Arms, int]:
    """Take the top of an ordered pool or problem: the share for wrong answers, then the rest of any outcome.

    Missing wrong answers are part of the shortfall; nothing else takes their place.
    """
    quota = rules.convincing
    if random_only:
        drawn = greedy.take(ordered, quota, cap=cap)
        return {"random": drawn}, quota - len(drawn)
    for_wrong = wrong_quota(rules.ratio, quota)
    wrong = greedy.take((candidate for candidate in ordered if candidate.outcome == WRONG), for_wrong, cap=cap)
    rest = greedy.take(ordered, quota - for_wrong, cap=cap)
    return {"convincing_wrong": wrong, "convincing_rest": rest}, quota - len(wrong) - len(rest)
