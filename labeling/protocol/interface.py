"""What every labeling protocol answers. Pure; the browser's twin is `frontend/src/protocol/interface.ts`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labeling.protocol.submission import Finding, Ratings

NO_ERROR = -1  # the verdict of a label that found every step right


@dataclass(frozen=True)
class LabelingProtocol:
    """How the traces of a round are labeled: one rule book, known by its name.

    missing(ratings, finish_reason, kind, text): what the submission still lacks, in the order a labeler would mend it;
    empty when complete. `kind` and `text` are the details of a bad problem or of giving up.
    contradictions(ratings, finish_reason, outcome): what the labeler has to confirm with a reason; `outcome` is the
    trace's (correct, wrong, ungraded).
    verdict(ratings, finish_reason): where the label says that the trace first goes wrong: the
    index of that step, NO_ERROR, or None where it does not say (bad problem, gave up).
    ratable_steps(ratings): the steps that may have a rating, in order, given what is rated now.
    makes_path: the labeler makes the trace, step by step (labeling.protocol.path).
    """

    name: str
    missing: Callable[[Ratings, str, str, str], list[Finding]]
    contradictions: Callable[[Ratings, str, str], list[Finding]]
    verdict: Callable[[Ratings, str], int | None]
    ratable_steps: Callable[[Ratings], Sequence[int]]
    makes_path: bool = False

    def counted(self, ratings: Ratings) -> list[int | None]:
        """The ratings that count: those of steps that may be rated, None elsewhere."""
        ratable = self.ratable_steps(ratings)
        return [rating if step in ratable else None for step, rating in enumerate(ratings)]
