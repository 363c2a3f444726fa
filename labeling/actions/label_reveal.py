"""Shows a labeler what the PRM thought once they have submitted their own view, and records that it was shown."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.errors import PermissionDenied
from labeling.models import Label, Score


@transaction.atomic
def reveal_scores(label: Label) -> tuple[Sequence[Score], list[list[str]]]:
    """The scores of a submitted label's trace: by the PRM of its round, or by every one where the round has none; and
    by step what was computed again and does not hold. No other machine's mark is shown to labelers.

    The first time is kept on the label, and whatever its labeler changes from then on is marked. Raises
    PermissionDenied where the project does not allow it, or the label is not submitted.
    """
    if not label.project.reveal_scores:
        raise PermissionDenied("This project does not show scores to labelers. A project admin can allow it.")
    label = queries.labels.lock_label(label)
    if label.task.round.keeps_quiet:
        raise PermissionDenied("Scores of this round are shown once it is closed.")
    if label.status != Label.Status.SUBMITTED:
        raise PermissionDenied("Scores are shown after submission. Submit this label first.")
    scores = list(queries.traces.scores_of(label.task.trace))
    of_round = [score for score in scores if score.scorer_id == label.task.round.scorer_id]
    checks = queries.sources.verifier_words(label.task.trace) or []
    if (scores or checks) and label.scores_revealed_at is None:
        label.scores_revealed_at = timezone.now()
        label.save(update_fields=["scores_revealed_at"])
        audit_log.record("label.reveal_scores", actor=label.labeler, project=label.project, target=f"label {label.pk}")
    return of_round or scores, checks
