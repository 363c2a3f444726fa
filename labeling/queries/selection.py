"""The choice of a staged round's traces: `labeling.selection.select_from` over a pool read from indexes in pieces."""

from collections.abc import Callable, Iterator, Sequence

from labeling.queries import scored_pool
from labeling.queries.gc_pause import gc_paused
from labeling.queries.prefetch import Piece, prefetch_pieces
from labeling.queries.scored_pool import Pool
from labeling.queries.unsure_scores import fill_entropy
from labeling.selection import Candidate, Rules, Selection, Stop, Way, select_from

Pages = Iterator[list[Candidate]]


def choose(pool: Pool, rules: Rules, *, stop: Stop = lambda: None) -> Selection:
    """Choose traces of the pool by `rules`; `dropped` counts near duplicates and what the budget cut.

    `stop` is called between pieces of work and may raise.
    """
    with gc_paused():
        return select_from(StoredPool(pool), rules, stop=stop)


class StoredPool:
    """A pool's candidates, read as the choice needs them; see `labeling.selection.Reads`."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def scored_problems(self) -> list[int]:
        """Return the problems with a scored candidate."""
        return scored_pool.scored_problems(self.pool)

    def unscored_problems(self) -> list[int]:
        """Return the problems with a candidate, scored or not."""
        return scored_pool.unscored_problems(self.pool)

    def best_of_problems(self, problems: Sequence[int], *, wrong: int, correct: int) -> list[Candidate]:
        """Return, per problem, the best candidates of each outcome."""
        return scored_pool.best_of_problems(self.pool, problems, wrong=wrong, correct=correct)

    def shuffled_of_problems(self, problems: Sequence[int], seed: int, limit: int) -> list[Candidate]:
        """Return, per problem, its first candidates in the seeded shuffle."""
        return scored_pool.shuffled_of_problems(self.pool, problems, seed, limit)

    def best_of_project(self, outcome: str, seed: int, wanted: int, full: set[int]) -> Pages:
        """Yield pages of an outcome's candidates, from the index over the project."""
        return scored_pool.best_of_project(self.pool, outcome, seed, wanted, full)

    def shuffled(self, seed: int, wanted: int, full: set[int]) -> Pages:
        """Yield pages of candidates in the seeded shuffle."""
        return scored_pool.shuffled(self.pool, seed, wanted, full)

    def by_draw(self, seed: int, wanted: int) -> Pages:
        """Yield pages of scored candidates along the circle of draws."""
        return scored_pool.by_draw(self.pool, seed, wanted)

    def by_way(self, way: Way, rules: Rules, wanted: int, stop: Stop) -> Pages:
        """Return pages in the order of a way of choosing that uses scores; none if nothing is scored."""
        pool = self.pool
        if pool.scorer_id is None or (way == "disagreement" and rules.mix.other is None):
            return iter(())
        if way == "disagreement" and rules.mix.other is not None:
            return scored_pool.by_difference(pool, rules.mix.other, rules.seed, wanted)
        if way == "unsure":
            fill_entropy(pool.project, pool.scorer_id, stop=stop)
        column = {"unsure": "entropy", "wavering": "spread"}[way]
        return scored_pool.by_value(pool, column, rules.seed, wanted)

    def texts_of(self, traces: Sequence[int]) -> dict[int, str]:
        """Return the steps of these traces, one step per line."""
        return scored_pool.texts_of(traces)

    def in_turn(self, reads: Sequence[Callable[[], Piece]]) -> Iterator[Piece]:
        """Yield the result of each read, while the next ones are being read."""
        return prefetch_pieces(reads)
