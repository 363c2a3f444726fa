"""Hidden reasoning: answers that hide how they were reached, and steps that do not affect the answer.

Measured on traces that no score chose: a selector's favourites do not show how frequent this is.
"""

from collections.abc import Callable, Sequence

from labeling.metrics.failures.figure import Figure, Seen, figure, share_where, shown, summed
from labeling.metrics.traces import predicted_first_error
from labeling.protocol.verdicts import NO_ERROR
from labeling.statistics.intervals import share_of_clusters

DRAWN = "A labeled control arm, random sample, or round over all traces."
ROLLOUTS = "A source of rollouts over traces in which people found an error before the last step."


def hidden_reasoning(rows: Sequence[Seen]) -> list[Figure]:
    """Return right answers with wrong steps, wrong ones without, and steps that the answer does not depend on."""
    drawn = [row for row in rows if row.arm == "control"]
    right = [row for row in drawn if row.outcome == "correct"]
    wrong = [row for row in drawn if row.outcome == "wrong"]
    return [
        _share_of("right_with_error", right, "right", lambda row: row.has_error),
        _share_of("wrong_without_error", wrong, "wrong", lambda row: not row.has_error),
        _idle(drawn),
        _reached(rows),
        _caught(rows),
    ]


def _share_of(name: str, rows: Sequence[Seen], answers: str, holds: Callable[[Seen], bool]) -> Figure:
    found = share_where(rows, holds)
    nothing = f"people have labeled no trace with a {answers} answer that no score chose"
    traces = shown(row for row in rows if holds(row))
    return figure(name, "share", found, nothing=nothing, needs=DRAWN, traces=traces)


def _idle(drawn: Sequence[Seen]) -> Figure:
    """Return the steps that people rated 0: reasonable, but they do not advance the solution."""
    rated = [row for row in drawn if row.rated]
    sums = summed([row.problem for row in rated], [(row.neutral, row.rated) for row in rated], 2)
    found = share_of_clusters(sums[:, 0], sums[:, 1], n=sum(row.rated for row in rated))
    nothing = "people have rated no step of a trace that no score chose"
    idle = shown(row for row in rated if row.neutral)
    return figure("idle_steps", "share", found, nothing=nothing, needs=DRAWN, traces=idle)


def _reached(rows: Sequence[Seen]) -> Figure:
    """Return first errors after which rollouts still reach the right answer: for that completer, it did not depend on
    the step.
    """
    probed = [row for row in rows if row.has_error and row.after_error is not None and row.after_error[1] > 0]
    reached = [row for row in probed if row.after_error is not None and row.after_error[0] > 0]
    found = share_where(probed, lambda row: row.after_error is not None and row.after_error[0] > 0)
    nothing = "no rollouts continue after a first error that people found"
    name = "reached_after_error"
    return figure(name, "share", found, nothing=nothing, needs=ROLLOUTS, traces=shown(reached))


def _caught(rows: Sequence[Seen]) -> Figure:
    """Return, of right answers with a wrong step, how many the selector does not let pass."""
    fresh = [row for row in rows if row.steps is not None and not row.learned]
    lucky = [row for row in fresh if row.outcome == "correct" and row.has_error]
    missed = shown(row for row in lucky if not _sees(row))
    nothing = "people have found no wrong step in a right answer that it scored and did not learn from"
    needs = "Labels on traces with right answers, scored by it."
    return figure("lucky_caught", "share", share_where(lucky, _sees), nothing=nothing, needs=needs, traces=missed)


def _sees(row: Seen) -> bool:
    return predicted_first_error(row.steps or ()) != NO_ERROR
