"""Undo, and the exports and training runs that freeze labels: each waits for the other, and frozen labels stay."""

from datetime import timedelta
from itertools import chain

from django.db import connection

from labeling.models import Export, Label, Project, TrainingRun
from labeling.queries.exports import unpacked_ids

CLOCKS_DIFFER = timedelta(minutes=5)

# Labels that could still be taken back: a reopening in progress ends before the export decides on them.
HOLD_RECENT = """
    SELECT id FROM labeling_label
    WHERE project_id = %s AND status = 'submitted' AND submitted_at > now() - interval '5 minutes'
    ORDER BY id FOR SHARE
"""


def hold_recent_labels(project: Project) -> None:
    """Wait for reopenings in progress, and let none begin until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(HOLD_RECENT, [project.pk])


def is_exported(label: Label) -> bool:
    """Return whether an export or a training run was frozen after the label's submission, so that the label must stay.

    This includes those that do not contain the label: most contain no gold, so what can still be taken back would
    reveal it.
    """
    at = label.submitted_at
    if at is None:
        return False
    later = {"project_id": label.project_id, "frozen_at__gte": at - CLOCKS_DIFFER}
    exports = Export.objects.filter(**later).values_list("frozen_at", "label_ids")
    runs = TrainingRun.objects.filter(**later).values_list("frozen_at", "label_ids")
    return any(frozen >= at or label.pk in unpacked_ids(packed) for frozen, packed in chain(exports, runs) if frozen)
