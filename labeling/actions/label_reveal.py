"""Shows a labeler what machines thought of a trace: once they have submitted their own view, or, where a round
assists, beside it. What was shown when, and what they had said before, is kept on the label.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.configs import ShownMarks
from labeling.errors import PermissionDenied
from labeling.models import Label, Score


class Revealed(NamedTuple):
    """What is shown: a PRM's scores, by step what was computed again and does not hold, and the round's source."""

    scores: Sequence[Score]
    checks: list[list[str]]
    marks: Sequence[Score] = ()


@transaction.atomic
def reveal_scores(label: Label) -> Revealed:
    """The scores of a submitted label's trace: by the PRM of its round, or by every one where the round has none; by
    step what was computed again and does not hold; and the marks of the source that its round shows. No other
    machine's mark is shown to labelers.

    The first time is kept on the label, with what it said until then, and whatever its labeler changes from then on is
    marked. Raises PermissionDenied where neither project nor round allow it, or not yet.
    """
    if not (label.project.reveal_scores or label.task.round.machine):
        raise PermissionDenied("This project does not show scores to labelers. A project admin can allow it.")
    label = queries.labels.lock_label(label)
    if label.task.round.keeps_quiet:
        raise PermissionDenied("Scores of this round are shown once it is closed.")
    shown = label.task.round.shown_marks
    if label.status == Label.Status.OPEN and is_assisted(label):
        found = Revealed([], [], _marks(label, shown))
    elif label.status == Label.Status.SUBMITTED:
        found = _after_submission(label, shown)
    else:
        raise PermissionDenied("Scores are shown after submission. Submit this label first.")
    if any(found.scores) or any(found.checks) or any(found.marks):
        _note(label)
    return found


def is_assisted(label: Label) -> bool:
    """Whether its labeler sees a machine's marks while they rate."""
    return bool(label.task.assisted)


def _after_submission(label: Label, shown: ShownMarks | None) -> Revealed:
    trace, allows = label.task.trace, label.project.reveal_scores
    scores = list(queries.traces.scores_of(trace)) if allows else []
    of_round = [score for score in scores if score.scorer_id == label.task.round.scorer_id]
    after = shown is not None and shown.when == "after"
    checks = queries.sources.verifier_words(trace) or [] if allows or after else []
    return Revealed(of_round or scores, checks, _marks(label, shown) if after or is_assisted(label) else [])


def _marks(label: Label, shown: ShownMarks | None) -> list[Score]:
    if shown is None:
        return []
    return list(Score.objects.filter(trace=label.task.trace_id, scorer=shown.source).select_related("scorer"))


def _note(label: Label) -> None:
    if label.scores_revealed_at is not None:
        return
    label.scores_revealed_at = timezone.now()
    if label.status == Label.Status.SUBMITTED:
        label.before_reveal = {"finish_reason": label.finish_reason, "verdict": label.verdict}
    label.save(update_fields=["scores_revealed_at", "before_reveal"])
    audit_log.record("label.reveal_scores", actor=label.labeler, project=label.project, target=f"label {label.pk}")
