"""The interface of every labeling protocol. Pure; the browser's twin is `frontend/src/protocol/interface.ts`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labeling.protocol.submission import Finding, Ratings

NO_ERROR = -1  # the verdict of a label that found every step correct


@dataclass(frozen=True)
class LabelingProtocol:
    """How the traces of a round are labeled: one set of rules, identified by its name.

    missing(ratings, finish_reason, kind, text): what the submission still lacks, in the order in which a labeler would
    complete it; empty when complete. `kind` and `text` are the details of a bad problem or of giving up.
    contradictions(ratings, finish_reason, outcome): what the labeler has to confirm with a reason; `outcome` is the
    trace's (correct, wrong, ungraded).
    verdict(ratings, finish_reason): where the trace first goes wrong according to the label: the index of that step,
    NO_ERROR, or None if the label does not say (bad problem, gave up).
    ratable_steps(ratings): the steps that may have a rating, in order, given the current ratings.
    makes_path: the labeler makes the trace, step by step (labeling.protocol.path).
    """

    name: str
    missing: Callable[[Ratings, str, str, str], list[Finding]]
    contradictions: Callable[[Ratings, str, str], list[Finding]]
    verdict: Callable[[Ratings, str], int | None]
    ratable_steps: Callable[[Ratings], Sequence[int]]
    makes_path: bool = False

    def counted(self, ratings: Ratings) -> list[int | None]:
        """Return the ratings that count: those of steps that may be rated, None elsewhere."""
        ratable = self.ratable_steps(ratings)
        return [rating if step in ratable else None for step, rating in enumerate(ratings)]
