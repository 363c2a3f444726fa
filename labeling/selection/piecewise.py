"""The same choice as `select`, from a pool that is read in pieces and never held in memory as a whole.

Candidates are read in order, with a little slack, and no further than needed. If near duplicates use up the slack of a
problem, it is read deeper. So the pool may be a hundred times larger than what is held here. The caller supplies the
pieces: `labeling.queries.selection` reads them from indexes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import merge
from itertools import chain, islice
from typing import Protocol, TypeVar

from labeling.selection import texts
from labeling.selection.candidates import Candidate, Order, order_of
from labeling.selection.choosing import (
    WRONG,
    GreedyChooser,
    Reason,
    Rules,
    Selection,
    control_size,
    left_empty,
    ranked,
    wrong_quota,
)
from labeling.selection.mixes import BY_TEXT, Way
from labeling.selection.text_cache import NeedsText, TextCache
from labeling.selection.ways import by_text

BATCH = 1_000  # problems read at once
SLACK = 4  # candidates read per problem beyond its quota
MOST_FULL = 0.25  # share of problems at their cap above which the others are read one by one
Stop = Callable[[], None]
Arms = dict[Reason, list[Candidate]]
Pages = Iterable[list[Candidate]]
Piece = TypeVar("Piece")


class Reads(Protocol):
    """A pool of graded candidates without exact duplicates, and the reads it supports. `seed` breaks ties."""

    def scored_problems(self) -> list[int]:
        """Return the problems with a scored candidate, by id."""

    def unscored_problems(self) -> list[int]:
        """Return the problems with a candidate, scored or not, by id."""

    def best_of_problems(self, problems: Sequence[int], *, wrong: int, correct: int) -> Iterable[Candidate]:
        """Return the `wrong` best wrong and `correct` best correct ones per problem, plus ties with the last, best
        first.
        """

    def shuffled_of_problems(self, problems: Sequence[int], seed: int, limit: int) -> Iterable[Candidate]:
        """Return the first candidates of each problem in the seeded shuffle, scored or not."""

    def best_of_project(self, outcome: str, seed: int, wanted: int, full: set[int]) -> Pages:
        """Return pages of an outcome's candidates in the total order, without those of problems that are `full` by
        then.
        """

    def shuffled(self, seed: int, wanted: int, full: set[int]) -> Pages:
        """Return pages of candidates, scored or not, in the seeded shuffle."""

    def by_draw(self, seed: int, wanted: int) -> Pages:
        """Return pages of scored candidates in an order that does not depend on scores."""

    def by_way(self, way: Way, rules: Rules, wanted: int, stop: Stop) -> Pages:
        """Return pages in the order of a way of choosing that uses scores; none if nothing is scored."""

    def texts_of(self, traces: Sequence[int]) -> Mapping[int, str]:
        """Return the steps of these traces, one per line."""

    def in_turn(self, reads: Sequence[Callable[[], Piece]]) -> Iterator[Piece]:
        """Yield the result of each of these, in order; the next may be read while one is processed."""


class NeedsMore(Exception):
    """The end of a list that continues in the pool."""


def select_from(pool: Reads, rules: Rules, *, stop: Stop = lambda: None) -> Selection:
    """Choose traces of the pool by `rules`; `dropped` counts near duplicates and traces cut by the budget.

    `stop` is called between pieces of work and may raise.
    """
    problems = pool.scored_problems()
    if not problems:
        return _choose_at_random(pool, rules, stop)
    choosing = _ByScore(pool, rules, stop)
    control = choosing.control(control_size(rules, len(problems)))
    mixed = choosing.mixed()
    arms = choosing.over_the_pool(problems) if rules.mode == "global" else choosing.per_problem(problems)
    quota = rules.quota * (1 if rules.mode == "global" else len(problems))
    return _selection({"control": control, **mixed, **arms}, rules, choosing.greedy, quota, at_random=False)


def _choose_at_random(pool: Reads, rules: Rules, stop: Stop) -> Selection:
    """Choose without scores: every order is the seeded shuffle, and there is a control arm only with a mix."""
    problems = pool.unscored_problems()
    choosing = _AtRandom(pool, rules, stop)
    mixed: Arms = {}
    if rules.mix.asked:
        mixed = {"control": choosing.control(control_size(rules, len(problems))), **choosing.mixed()}
    if rules.mode == "global":
        drawn, quota = choosing.over_the_pool(), rules.quota
    else:
        drawn, quota = choosing.per_problem(problems).get("random", []), rules.quota * len(problems)
    return _selection({**mixed, "random": drawn}, rules, choosing.greedy, quota, at_random=bool(problems))


def _selection(arms: Arms, rules: Rules, greedy: GreedyChooser, quota: int, *, at_random: bool) -> Selection:
    chosen, cut = ranked(arms, rules)
    dropped = {"near_duplicate": len(greedy.near), "over_budget": cut}
    empty = quota - sum(len(arm) for reason, arm in arms.items() if reason != "control")
    shortfall = left_empty(empty, rules, len(chosen))
    return Selection(chosen, {why: n for why, n in dropped.items() if n}, shortfall, at_random)


class _Choosing:
    """Shared by choosing by score and at random: problems are read in batches, each retried until it has enough."""

    def __init__(self, pool: Reads, rules: Rules, stop: Stop) -> None:
        self.pool, self.rules, self.stop = pool, rules, stop
        self.order = order_of(rules.seed)
        self.texts = TextCache(pool.texts_of)
        self.greedy = GreedyChooser(self.texts.text_of, self.texts.sketch_of)

    def by_chance(self, wanted: int) -> Pages:
        """Return pages of the pool in an order that does not depend on scores."""
        raise NotImplementedError

    def control(self, wanted: int) -> list[Candidate]:
        """Draw the control arm, before anything else is chosen."""
        return self.greedy.take(self.stream(self.by_chance(wanted)), wanted)

    def mixed(self) -> Arms:
        """Return what each way of the mix chooses, in the order of choice."""
        quotas, cap = self.rules.mix.quotas(self.rules.quota), self.rules.per_problem_cap
        return {way: self.greedy.take(self._in_order_of(way, quota), quota, cap=cap) for way, quota in quotas.items()}

    def _in_order_of(self, way: Way, quota: int) -> Iterable[Candidate]:
        if way in BY_TEXT:
            return self._by_text(way, quota)
        return self.stream(self.pool.by_way(way, self.rules, quota + SLACK, self.stop))

    def _by_text(self, way: Way, quota: int) -> list[Candidate]:
        """Of a large pool, look only at the first texts in random order."""
        named = self.pool.texts_of(self.rules.mix.like_traces)
        drawn = islice(chain.from_iterable(self.by_chance(texts.MOST)), texts.MOST)
        seen = [one for one in drawn if way == "typical" or one.id not in named]
        said = self.pool.texts_of([one.id for one in seen])
        self.stop()
        return by_text(
            way,
            seen,
            [said[one.id] for one in seen],
            named=list(named.values()),
            clusters=quota,
            seed=self.rules.seed,
            stop=self.stop,
        )

    def per_problem(self, problems: Sequence[int]) -> Arms:
        """Choose within each problem, then sort each arm by score."""
        arms: defaultdict[Reason, list[Candidate]] = defaultdict(list)
        batches = in_batches(problems)
        reads = [partial(self.read, batch, SLACK) for batch in batches]
        for batch, found in zip(batches, self.pool.in_turn(reads), strict=True):
            for of_problem in self._batch(batch, found):
                for reason, arm in of_problem.items():
                    arms[reason] += arm
        return {reason: sorted(arm, key=self.order) for reason, arm in arms.items()}

    def _batch(self, waiting: Sequence[int], found: dict[int, "Lists"]) -> Iterator[Arms]:
        slack = SLACK
        while waiting:
            self.stop()
            self.texts.clear()
            unfinished: list[int] = []
            yield from self._of_each(waiting, found, unfinished)
            waiting, slack = unfinished, slack * 4
            found = self.read(waiting, slack) if waiting else {}

    def _of_each(self, problems: Sequence[int], found: dict[int, "Lists"], unfinished: list[int]) -> Iterator[Arms]:
        """Choose within each problem, and add problems whose lists end too early to `unfinished`."""
        while problems:
            doubtful = []
            for problem in problems:
                greedy = self.greedy.for_problem(problem, self.texts.cached_text, self.texts.cached_sketch)
                try:
                    yield self.take(greedy, found[problem])
                    self.greedy.near |= greedy.near
                except NeedsText:
                    doubtful.append(problem)
                except NeedsMore:
                    unfinished.append(problem)
            self._load_suspects([list(found[problem].all()) for problem in doubtful])
            problems = doubtful

    def _load_suspects(self, problems: Sequence[list[Candidate]]) -> None:
        """Fetch at once all texts of these problems' candidates, and of taken ones, that may be compared."""
        self.texts.load_unsketched(chain.from_iterable(problems))
        self.texts.load(chain.from_iterable(map(self.greedy.suspects, problems)))

    def read(self, problems: Sequence[int], slack: int) -> dict[int, "Lists"]:
        """Read the best of each problem, `slack` more than its quota."""
        raise NotImplementedError

    def take(self, greedy: GreedyChooser, lists: "Lists") -> Arms:
        """Choose within one problem. Raises NeedsMore."""
        raise NotImplementedError

    def stream(self, pages: Iterable[list[Candidate]]) -> Iterator[Candidate]:
        """Yield the candidates of pages, fetching the texts that will be compared once per page."""
        for page in pages:
            self.stop()
            self._load_suspects([page])
            yield from page
            self.texts.forget(page)


class Lists:
    """A problem's candidates by outcome, each list in order; `whole` if the pool has no more."""

    def __init__(self) -> None:
        self.by_outcome: defaultdict[str, list[Candidate]] = defaultdict(list)
        self.whole: dict[str, bool] = {}

    def all(self) -> Iterator[Candidate]:
        """Return everything that was read."""
        return chain.from_iterable(self.by_outcome.values())

    def of(self, outcome: str) -> Iterator[Candidate]:
        """Yield one list. Raises NeedsMore at its end if it continues in the pool."""
        yield from self.by_outcome[outcome]
        if not self.whole[outcome]:
            raise NeedsMore

    def finish(self, limits: dict[str, int], order: Order) -> None:
        """Sort the lists, with ties by the seed; a list is whole if it is shorter than its limit."""
        for outcome, limit in limits.items():
            found = self.by_outcome[outcome]
            if not all(map(_is_before, found, islice(found, 1, None))):
                found.sort(key=order)
            self.whole[outcome] = len(found) < limit


def in_batches(problems: Sequence[int]) -> list[Sequence[int]]:
    """Split these problems into batches that are read at once."""
    return [problems[start : start + BATCH] for start in range(0, len(problems), BATCH)]


def _is_before(one: Candidate, next_one: Candidate) -> bool:
    """Whether the scores alone decide it."""
    return one.score is not None and next_one.score is not None and one.score > next_one.score


class _ByScore(_Choosing):
    def by_chance(self, wanted: int) -> Pages:
        return self.pool.by_draw(self.rules.seed, wanted)

    def over_the_pool(self, problems: Sequence[int]) -> Arms:
        """Choose the most convincing wrong answers of these problems, then the rest of any outcome."""
        rules, cap = self.rules, self.rules.per_problem_cap
        for_wrong = wrong_quota(rules.ratio, rules.convincing)
        full: set[int] = set()
        wrong_ones = self._watched(WRONG, problems, full)
        wrong = self.greedy.take(wrong_ones, for_wrong, cap=cap)
        # All that the stream has passed is taken, near a taken one or of a full problem, so the rest can continue from
        # there.
        others = self._watched("correct", problems, full)
        rest = self.greedy.take(merge(wrong_ones, others, key=self.order), rules.convincing - for_wrong, cap=cap)
        return {"convincing_wrong": wrong, "convincing_rest": rest}

    def _watched(self, outcome: str, problems: Sequence[int], full: set[int]) -> Iterator[Candidate]:
        """Stream an outcome. `full` collects the problems at the cap, which are no longer read."""
        for candidate in self._in_order(outcome, problems, full):
            if not self._is_full(candidate.problem):
                yield candidate
            if self._is_full(candidate.problem):
                full.add(candidate.problem)

    def _is_full(self, problem: int) -> bool:
        cap = self.rules.per_problem_cap
        return cap is not None and self.greedy.by_score[problem] >= cap

    def _in_order(self, outcome: str, problems: Sequence[int], full: set[int]) -> Iterator[Candidate]:
        """Stream an outcome's candidates in the total order: from the project's index while few problems are full, then
        from each remaining problem's own, because the project's index would be read to the end for the last few.
        """
        wanted = self.rules.quota + SLACK
        for page in self.pool.best_of_project(outcome, self.rules.seed, wanted, full):
            yield from self.stream([page])
            if len(full) > len(problems) * MOST_FULL:
                yield from self._merged(outcome, [one for one in problems if one not in full], page[-1])
                return

    def _merged(self, outcome: str, problems: Sequence[int], after: Candidate) -> Iterator[Candidate]:
        """Stream the best of each of these problems up to the cap, in the total order, and only those after `after`."""
        reads = [partial(self._best_of, outcome, batch, self._deep_enough()) for batch in in_batches(problems)]
        streams: list[Iterator[Candidate]] = []
        for found in self.pool.in_turn(reads):
            self.stop()
            self._load_suspects([list(lists.all()) for lists in found.values()])
            streams += [self._up_to_the_cap(problem, outcome, lists) for problem, lists in found.items()]
        begin = self.order(after)
        return (one for one in merge(*streams, key=self.order) if begin < self.order(one))

    def _up_to_the_cap(self, problem: int, outcome: str, lists: Lists) -> Iterator[Candidate]:
        """Stream one problem's candidates, reading deeper if near duplicates use up the slack."""
        limit, seen = self._deep_enough(), 0
        while not self._is_full(problem):
            found = lists.by_outcome[outcome]
            for candidate in islice(found, seen, None):
                yield candidate
                if self._is_full(problem):
                    return
            if lists.whole[outcome]:
                return
            limit, seen = limit * 4, len(found)
            lists = self._best_of(outcome, [problem], limit)[problem]

    def _deep_enough(self) -> int:
        return (self.rules.per_problem_cap or 0) + SLACK

    def _best_of(self, outcome: str, problems: Sequence[int], limit: int) -> dict[int, Lists]:
        return self._lists(problems, {"wrong": 0, "correct": 0} | {outcome: limit})

    def read(self, problems: Sequence[int], slack: int) -> dict[int, Lists]:
        quota = self.rules.quota
        limits = {"wrong": quota + slack, "correct": quota - wrong_quota(self.rules.ratio, quota) + slack}
        return self._lists(problems, limits)

    def _lists(self, problems: Sequence[int], limits: dict[str, int]) -> dict[int, Lists]:
        found = {problem: Lists() for problem in problems}
        for candidate in self.pool.best_of_problems(problems, **limits):
            found[candidate.problem].by_outcome[candidate.outcome].append(candidate)
        for lists in found.values():
            lists.finish(limits, self.order)
        return found

    def take(self, greedy: GreedyChooser, lists: Lists) -> Arms:
        quota = self.rules.quota
        for_wrong = wrong_quota(self.rules.ratio, quota)
        wrong_ones = lists.of(WRONG)
        wrong = greedy.take(wrong_ones, for_wrong)
        either = merge(wrong_ones, lists.of("correct"), key=self.order)  # all that was passed is taken or near it
        return {"convincing_wrong": wrong, "convincing_rest": greedy.take(either, quota - for_wrong)}


class _AtRandom(_Choosing):
    def by_chance(self, wanted: int) -> Pages:
        return self.pool.shuffled(self.rules.seed, wanted, set())

    def over_the_pool(self) -> list[Candidate]:
        """Take the first of the shuffled pool."""
        cap, full = self.rules.per_problem_cap, set[int]()
        wanted = self.rules.convincing
        pages = self.pool.shuffled(self.rules.seed, wanted + SLACK, full)
        return self.greedy.take(self.stream(pages), wanted, cap=cap)

    def read(self, problems: Sequence[int], slack: int) -> dict[int, Lists]:
        limit = self.rules.quota + slack
        found = {problem: Lists() for problem in problems}
        for candidate in self.pool.shuffled_of_problems(problems, self.rules.seed, limit):
            found[candidate.problem].by_outcome["any"].append(candidate)
        for lists in found.values():
            lists.finish({"any": limit}, self.order)
        return found

    def take(self, greedy: GreedyChooser, lists: Lists) -> Arms:
        return {"random": greedy.take(lists.of("any"), self.rules.quota)}
