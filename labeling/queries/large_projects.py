"""Which projects are so large that their figures are cached for a while, and the newest event in a project."""

from typing import Any, NamedTuple

from django.db import connection

from labeling.models import Project

LABELS = 20_000
TRACES = 100_000
# Actions that change nothing in a cached answer, or no more than a label does: they do not invalidate it.
CHANGES_NO_FIGURE = (
    *("export.create", "export.repeat", "export.download", "export.push"),
    *("release.check", "release.download", "release.push"),
    *("label.show_reference", "label.reveal_scores", "prm.try", "token.create", "token.revoke"),
)
# Traces are read only up to the limit. Labels are counted by triggers (RoundTally).
STATE = """
    SELECT (SELECT max(id) FROM labeling_auditevent WHERE project_id = %(project)s
            AND action <> ALL (%(no_figure)s)),
        (SELECT sum(tally.labels) FROM labeling_roundtally AS tally JOIN labeling_round AS round
            ON round.id = tally.round_id WHERE round.project_id = %(project)s) > %(labels)s
        OR EXISTS (SELECT FROM labeling_trace WHERE project_id = %(project)s OFFSET %(traces)s)
"""


class ProjectState(NamedTuple):
    """The newest event of the audit log that may change a figure, and whether the project is large."""

    newest_event: int | None
    large: bool


def state_of(project: Project) -> ProjectState:
    """Return the project's state. One query."""
    asked: dict[str, Any] = {"project": project.pk, "labels": LABELS, "traces": TRACES}
    with connection.cursor() as cursor:
        cursor.execute(STATE, {**asked, "no_figure": list(CHANGES_NO_FIGURE)})
        newest, large = cursor.fetchone()
    return ProjectState(newest, bool(large))
