"""Hasty labels (`labeling.quality.haste`): a project's floor, how many are hasty, and who has had many lately."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from labeling.models import Label, Project, Round, User
from labeling.quality.haste import FEWEST_LABELS, WINDOW, floor_ms, is_alarming, is_hasty
from labeling.queries.labels import NOT_EXCLUDED
from labeling.queries.sql_slots import fill

NEWEST = 2_000  # labels from which a floor is learned
FLOOR_KEPT = 600  # seconds for which every open labeling page is given the same floor

# A label's own ratings of steps, without carried-over ones: stored with the label, except for paths and older labels.
STEPS_OF = """
    coalesce({label}.rated_steps, (SELECT count(*) FROM labeling_steplabel AS own WHERE own.label_id = {label}.id
        AND own.completion_id IS NULL AND own.rating IS NOT NULL AND own.source <> 'carried'))
"""
# The time in which its steps were read: a labeler who revises a label has read them before.
MS_OF = "({label}.active_ms + {label}.earlier_ms)"
# The basis of all time figures. A label without a time took an unknown time, and a label without ratings has no time
# per step. Both give NULL, which medians skip.
SECONDS_A_STEP = "(nullif({ms}, 0) / 1000.0 / nullif({steps}, 0))"
# A condition on `label` and its `task`. Imported labels have another tool's times, rulings have none, and screening
# counts only for admission.
HASTY_OF = f"""
    ({{label}}.status = 'submitted' AND {{task}}.kind <> 'screening' AND {MS_OF} < {{floor}} * {STEPS_OF}
    AND NOT EXISTS (SELECT FROM labeling_round AS own WHERE own.id = {{task}}.round_id AND own.imported))
"""
STEPS = fill(STEPS_OF, label="label")
MS = fill(MS_OF, label="label")
HASTY = fill(HASTY_OF, label="label", task="task", floor="%(floor)s")
HASTY_IDS = f"""
    SELECT label.id FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    WHERE {fill(HASTY_OF, label="label", task="task", floor="%s")}
"""
# Without labels left out by hand: they are dealt with and need nobody's attention.
JUDGED_OF = f"""
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_round AS round ON round.id = task.round_id
    WHERE label.project_id = {{project}} AND label.status = 'submitted' AND task.kind = 'work' AND NOT round.imported
        AND {NOT_EXCLUDED}
"""
LABELER_MEDIANS_OF = f"""
    WITH newest AS (
        SELECT label.labeler_id, {MS} AS ms, {STEPS} AS steps {JUDGED_OF}
        ORDER BY label.submitted_at DESC LIMIT {NEWEST}
    )
    SELECT labeler_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms::float8 / steps) AS median
    FROM newest WHERE steps > 0 AND ms > 0 GROUP BY labeler_id HAVING count(*) >= {FEWEST_LABELS}
"""
MEDIANS_OF = f"SELECT median FROM ({LABELER_MEDIANS_OF}) AS each"
JUDGED, MEDIANS, LABELER_MEDIANS = (
    fill(piece, project="%(project)s") for piece in (JUDGED_OF, MEDIANS_OF, LABELER_MEDIANS_OF)
)
BY_ROUND = f"""
    SELECT task.round_id, count(*) FILTER (WHERE {HASTY}), count(*) FILTER (WHERE {STEPS} > 0) {JUDGED}
        AND (%(round)s::bigint IS NULL OR round.id = %(round)s) GROUP BY task.round_id ORDER BY task.round_id
"""
AMONG = f"""
    SELECT label.id FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    WHERE label.id = ANY(%(labels)s) AND {HASTY}
"""
LATELY = f"""
    SELECT * FROM (
        SELECT round.id, label.labeler_id, {MS}, {STEPS} AS steps, row_number() OVER (
            PARTITION BY round.id, label.labeler_id ORDER BY label.submitted_at DESC, label.id DESC) AS place
        {JUDGED} AND round.status = 'labeling' AND label.submitted_at > %(since)s
    ) AS recent WHERE place <= {WINDOW} ORDER BY id, labeler_id, place DESC
"""
# For projects being labeled now: the medians, and what was hasty in the last day by the floors they give.
MEDIANS_NOW = fill(
    """
    SELECT project.id, array(SELECT its.median FROM ({medians}) AS its(median)) FROM labeling_project AS project
    WHERE project.id IN (SELECT project_id FROM labeling_round WHERE status = 'labeling' AND NOT imported)
    """,
    medians=fill(MEDIANS_OF, project="project.id"),
)
HASTY_NOW = fill(
    """
    SELECT project.slug, counted.hasty, counted.judged
    FROM unnest(%(projects)s::bigint[], %(floors)s::bigint[]) AS its(id, floor)
    JOIN labeling_project AS project ON project.id = its.id CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE {ms} < its.floor * {steps}), count(*) FILTER (WHERE {steps} > 0)
        {judged} AND label.submitted_at > now() - interval '1 day'
    ) AS counted(hasty, judged) ORDER BY project.slug
    """,
    ms=MS,
    steps=STEPS,
    judged=fill(JUDGED_OF, project="its.id"),
)


class HastyLabels(NamedTuple):
    """How many of a round's labels with a rated step are hasty."""

    round: int
    hasty: int
    judged: int


class HastyLabeler(NamedTuple):
    """A labeler whose newest labels in a round are alarming: how many of how many are hasty."""

    round: Round
    labeler: User
    hasty: int
    labels: int


def project_floor_ms(project: Project) -> int:
    """Return the floor according to the project's newest labels. One query."""
    return floor_ms([row[0] for row in _rows(MEDIANS, {"project": project.pk})])


def kept_floor_ms(project: Project) -> int:
    """Return the floor as it was up to ten minutes ago, for answers that many people ask for often."""
    floor: int | None = cache.get(key := f"haste_floor:{project.pk}")
    if floor is None:
        floor = project_floor_ms(project)
        cache.set(key, floor, FLOOR_KEPT)
    return floor


def medians_by_labeler(project: Project) -> dict[int, float]:
    """Return each labeler's median of milliseconds per step, over the project's newest labels. Labelers with few labels
    are left out. One query.
    """
    return dict(_rows(LABELER_MEDIANS, {"project": project.pk}))


def hasty_by_round(project: Project, floor: int, round_: Round | None = None) -> list[HastyLabels]:
    """Return the counts of each round, or of one. One query."""
    asked = {"project": project.pk, "floor": floor, "round": round_.pk if round_ else None}
    return [HastyLabels(*row) for row in _rows(BY_ROUND, asked)]


def hasty_among(project: Project, labels: Sequence[int]) -> set[int]:
    """Return the hasty ones of these labels of the project, for every kind of task except screening. Two queries."""
    return {label for (label,) in _rows(AMONG, {"labels": list(labels), "floor": project_floor_ms(project)})}


def only_hasty(labels: QuerySet[Label], floor: int) -> QuerySet[Label]:
    """Return only the hasty labels, by the same rule as `hasty_among`."""
    return labels.filter(pk__in=RawSQL(HASTY_IDS, [floor]))


def hasty_lately(project: Project, now: datetime) -> tuple[int, list[HastyLabeler]]:
    """Return the floor, and who has been hasty in the project's open rounds in the last day. Four queries."""
    floor = project_floor_ms(project)
    rows = _rows(LATELY, {"project": project.pk, "since": now - timedelta(days=1)})
    found = []
    for (round_id, labeler), group in groupby(rows, key=lambda row: row[:2]):
        hasty = [is_hasty(ms, steps, floor) for _, _, ms, steps, _ in group]
        if is_alarming(hasty):
            found.append((round_id, labeler, sum(hasty), len(hasty)))
    rounds = Round.objects.in_bulk({row[0] for row in found})
    people = User.objects.in_bulk({row[1] for row in found})
    return floor, [HastyLabeler(rounds[row[0]], people[row[1]], row[2], row[3]) for row in found]


def hasty_shares() -> list[tuple[str, float]]:
    """Return, by slug, the hasty share of the last day's labels in each project being labeled now. Two queries."""
    floors = {project: floor_ms(medians) for project, medians in _rows(MEDIANS_NOW, {})}
    rows = _rows(HASTY_NOW, {"projects": list(floors), "floors": list(floors.values())})
    return [(slug, hasty / judged) for slug, hasty, judged in rows if judged]


def _rows(statement: str, asked: dict[str, Any]) -> Sequence[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        return cursor.fetchall()
