"""Shows a labeler what machines thought of a trace: once they have submitted their own view, or, where a round
assists, beside it. What was shown when, and what they had said before, is kept on the label.
"""

from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.errors import PermissionDenied
from labeling.models import Label
from labeling.queries.reveals import Revealed, after_submission, beside_the_steps, is_assisted, shows_any


@transaction.atomic
def reveal_scores(label: Label) -> Revealed:
    """The scores of a submitted label's trace: by the PRM of its round, or by every one where the round has none; by
    step what was computed again and does not hold; and the marks of the source that its round shows. No other
    machine's mark is shown to labelers.

    The first time is kept on the label, with what it said until then, and whatever its labeler changes from then on is
    marked; where no machine said anything, nothing is kept. Raises PermissionDenied where neither project nor round
    allow it, or not yet.
    """
    if not shows_any(label):
        raise PermissionDenied("This project does not show scores to labelers. A project admin can allow it.")
    label = queries.labels.lock_label(label)
    if label.task.round.keeps_quiet:
        raise PermissionDenied("The scores of this round are shown once it is closed.")
    if label.status == Label.Status.OPEN and is_assisted(label):
        found = beside_the_steps(label)
    elif label.status == Label.Status.SUBMITTED:
        found = after_submission(label)
    else:
        raise PermissionDenied("Scores are shown after submission. Submit this label first.")
    if found.says_something:
        _note(label)
    return found


def _note(label: Label) -> None:
    if label.scores_revealed_at is not None:
        return
    label.scores_revealed_at = timezone.now()
    if label.status == Label.Status.SUBMITTED:
        label.before_reveal = {"finish_reason": label.finish_reason, "verdict": label.verdict}
    label.save(update_fields=["scores_revealed_at", "before_reveal"])
    audit_log.record("label.reveal_scores", actor=label.labeler, project=label.project, target=f"label {label.pk}")
