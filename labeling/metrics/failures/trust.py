"""Over-trust: how far people follow a machine.

Labels are blind until they are sent, so what can be measured is what becomes of a label whose labeler then looked.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from labeling.metrics.failures.figure import Figure, figure, not_measurable, summed
from labeling.statistics.intervals import share_of_clusters


class Looked(NamedTuple):
    """A label whose labeler looked at scores once it was sent, and whether it was changed afterwards."""

    trace: int
    problem: Hashable
    changed: bool


def over_trust(labels: Sequence[Looked]) -> list[Figure]:
    """What was changed after scores were seen; and assisted labels against blind ones."""
    sums = summed([one.problem for one in labels], [(one.changed, 1) for one in labels], 2)
    found = share_of_clusters(sums[:, 0], sums[:, 1], n=len(labels))
    changed = [one.trace for one in labels if one.changed]
    nothing = "nobody has looked at scores after sending a label"
    needs = "Scores revealed to labelers after they send (Settings), and labels sent since."
    return [
        figure("changed_after_scores", "share", found, nothing=nothing, needs=needs, traces=changed),
        not_measurable(
            "assisted_against_blind",
            "difference",
            why="no round has been assisted: every label is blind until it is sent",
            needs="A round in which a random share of labelers sees a machine's marks and the rest does not.",
        ),
    ]
