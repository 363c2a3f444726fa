"""Shows a labeler what machines thought of a trace: after they submitted their own view or, in an assisted round, next
to the steps. The label records what was shown when, and what the labeler had said before.
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
    """Return the scores of a submitted label's trace: by the PRM of its round, or by all PRMs if the round has none;
    per step, what was recomputed and does not hold; and the marks of the source that the round shows. Labelers see no
    other machine's marks. In an assisted round, an open label gets what is shown next to its steps.

    The label records the first time, with what it said until then, and marks whatever its labeler changes afterwards.
    If no machine said anything, nothing is recorded. Raises PermissionDenied if neither project nor round allows it, or
    not yet.
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
