"""Over-trust: how far people follow a machine.

Two things can be measured: how a label changes whose labeler looked at scores after sending it; and, in assisted
rounds, tasks that showed a machine's marks compared with those that showed none.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from labeling.metrics.assistance import EMPTY_ARM, AssistedRoundLabel, beside_marks, misled
from labeling.metrics.failures.figure import Figure, Unit, figure, summed
from labeling.statistics.intervals import share_of_clusters

NOT_ASSISTED = "no assisted round has been labeled: every label is blind until it is submitted"
ARMS = "A labeled assisted round (New round, a source beside the steps) in which a share of the tasks shows nothing"
TRUTH = f"{ARMS}; and the truth about its traces: rulings, labels of other rounds, or recorded first errors."
# The figures of `beside_marks` that concern trust; `of` names the arm.
ASSISTED: dict[str, tuple[str, Unit, str, str]] = {
    "seconds_saved": ("seconds_saved_beside", "seconds", "", f"{ARMS}."),
    "agreed_with_the_machine_difference": ("agreed_more_beside", "difference", "", f"{ARMS}."),
    "right_difference": ("right_more_beside", "difference", "", TRUTH),
    "followed_wrong_marks_beside": ("followed_wrong", "share", "beside marks", TRUTH),
    "followed_wrong_marks_blind": ("followed_wrong", "share", "blind", TRUTH),
    "followed_wrong_marks_difference": ("followed_wrong_more_beside", "difference", "", TRUTH),
}


class Looked(NamedTuple):
    """A label whose labeler looked at scores after sending it, and whether it was then changed."""

    trace: int
    problem: Hashable
    changed: bool


def over_trust(labels: Sequence[Looked], assisted: Sequence[AssistedRoundLabel] = ()) -> list[Figure]:
    """Return what was changed after scores were seen, and assisted labels compared with blind ones."""
    sums = summed([one.problem for one in labels], [(one.changed, 1) for one in labels], 2)
    found = share_of_clusters(sums[:, 0], sums[:, 1], n=len(labels))
    changed = [one.trace for one in labels if one.changed]
    nothing = "nobody has looked at scores after submitting a label"
    needs = "Scores revealed to labelers after they submit (Settings), and labels submitted since."
    after = figure("changed_after_scores", "share", found, nothing=nothing, needs=needs, traces=changed)
    return [after, *_assisted(assisted)]


def _assisted(labels: Sequence[AssistedRoundLabel]) -> list[Figure]:
    found = []
    for one in beside_marks(labels):
        if one.name not in ASSISTED:
            continue
        name, unit, of, needs = ASSISTED[one.name]
        traces = misled(labels) if one.name == "followed_wrong_marks_beside" else []
        nothing = (one.why or EMPTY_ARM) if labels else NOT_ASSISTED
        found.append(figure(name, unit, one.found, of=of, nothing=nothing, needs=needs, traces=traces))
    return found
