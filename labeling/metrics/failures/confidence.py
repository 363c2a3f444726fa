"""False confidence: whether the selector is surer than it is right, and more so for the traces it chose.

Choosing by a score takes what it overrates (the winner's curse). So calibration on selected traces says nothing of the
others, and vice versa: the two arms are shown side by side.
"""

from collections.abc import Hashable, Sequence

from labeling.metrics.failures.figure import (
    Figure,
    Seen,
    apart,
    figure,
    mean_where,
    not_measurable,
    said,
    share_where,
    shown,
)
from labeling.metrics.traces import predicted_first_error
from labeling.protocol.verdicts import NO_ERROR

ARMS = ("selected", "control")
NAMES = (("overconfidence", "difference"), ("missed", "share"))
NEEDS = {
    "selected": "A labeled round chosen by it.",
    "control": "A labeled round chosen by it with a control arm, or a labeled random sample, scored by it.",
}
BOTH = "A labeled round chosen by it with a control arm."


def false_confidence(rows: Sequence[Seen], *, probabilities: bool) -> list[Figure]:
    """Return how far its scores exceed the share of right steps, and how often it lets an error pass; by arm."""
    if not probabilities:
        return _no_probabilities()
    fresh = [row for row in rows if row.steps is not None and not row.learned]
    selected = [row for row in fresh if row.by_it and row.arm == "selected"]
    control = [row for row in fresh if row.arm == "control"]
    wrong = [[row for row in arm if row.has_error] for arm in (selected, control)]
    gaps = _gaps(selected), _gaps(control)
    nothing = "people have labeled no trace of both arms that it scored and did not learn from"
    return [
        *(_gap(gap, arm) for gap, arm in zip(gaps, ARMS, strict=True)),
        figure("overconfidence_apart", "difference", apart(*gaps), nothing=nothing, needs=BOTH),
        *(_missed(arm_rows, arm) for arm_rows, arm in zip(wrong, ARMS, strict=True)),
        figure(
            "missed_apart",
            "difference",
            apart(said(wrong[0], _misses), said(wrong[1], _misses)),
            nothing=nothing,
            needs=BOTH,
        ),
    ]


def _no_probabilities() -> list[Figure]:
    why = "its scores are log ratios, which are not probabilities of being right"
    needs = "A step scorer whose scores are probabilities."
    return [not_measurable(name, "difference", of=arm, why=why, needs=needs) for name, _ in NAMES for arm in ARMS]


def _gaps(rows: Sequence[Seen]) -> tuple[list[Hashable], list[float]]:
    """Return, for each step that people's first error covers, the score minus the truth."""
    found = [
        (row.problem, score - target)
        for row in rows
        for score, target in zip(row.steps or (), row.targets, strict=False)
        if target is not None
    ]
    return [problem for problem, _ in found], [gap for _, gap in found]


def _gap(gaps: tuple[list[Hashable], list[float]], arm: str) -> Figure:
    nothing = f"people have labeled no {arm} trace that it scored and did not learn from"
    return figure("overconfidence", "difference", mean_where(*gaps), of=arm, nothing=nothing, needs=NEEDS[arm])


def _missed(wrong: Sequence[Seen], arm: str) -> Figure:
    nothing = f"people have found no error in a {arm} trace that it scored and did not learn from"
    missed = [row for row in wrong if _misses(row)]
    found = share_where(wrong, _misses)
    return figure("missed", "share", found, of=arm, nothing=nothing, needs=NEEDS[arm], traces=shown(missed))


def _misses(row: Seen) -> bool:
    return predicted_first_error(row.steps or ()) == NO_ERROR
