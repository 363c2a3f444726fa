"""A step scorer's uncertainty about a trace: the mean entropy of its step scores, as a column of the score.

New scores are written with it. Scores from before it was stored, and imported marks, get it when a round first asks for
it. The index finds scores that lack it, so that nothing is read if none does.
"""

from collections.abc import Callable

from django.db import connection

from labeling.models import Project, StepScorer
from labeling.queries.sql_slots import fill

BATCH = 5_000  # scores; nobody else waits for these rows, as each is written once
SCALE = "probability"  # other scales have no entropy

# As labeling.selection.entropy; a value that is not a number counts as sure.
ENTROPY = """(
    SELECT coalesce(avg(CASE WHEN share > 0 AND share < 1
        THEN -(share * ln(share) + (1 - share) * ln(1 - share)) / ln(2) ELSE 0 END), 0)
    FROM unnest({steps}::float8[]) AS share
)"""
FILL = """
    UPDATE labeling_score AS score SET entropy = {entropy}
    WHERE scorer_id = %(scorer)s AND trace_id = ANY(ARRAY(
        SELECT trace_id FROM labeling_score
        WHERE scorer_id = %(scorer)s AND project_id = %(project)s AND score IS NOT NULL AND entropy IS NULL
        LIMIT %(batch)s
    ))
"""


def entropy_of(steps: str) -> str:
    """Return SQL for the entropy of the steps that this SQL names."""
    return fill(ENTROPY, steps=steps)


def fill_entropy(project: Project, scorer_id: int, *, stop: Callable[[], None] = lambda: None) -> int:
    """Fill in the entropy of a project's scores that lack it. Return how many; after an interruption, it resumes.

    `stop` is called between batches and may raise.
    """
    if StepScorer.objects.values_list("scale", flat=True).get(pk=scorer_id) != SCALE:
        return 0
    statement, filled = fill(FILL, entropy=entropy_of("score.steps")), 0
    about = {"scorer": scorer_id, "project": project.pk, "batch": BATCH}
    while True:
        stop()
        with connection.cursor() as cursor:
            cursor.execute(statement, about)
            if not cursor.rowcount:
                return filled
            filled += cursor.rowcount
