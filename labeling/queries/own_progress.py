"""The figures above a labeler's work. Every open page asks for them each minute, so they count no queue and no past."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from labeling.models import Project, User
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.queries.rounds import OPEN

# Today's figures use the index `label_by_labeler`. The round is the one asked for, or else the one served first. Gold
# counts like any other task: otherwise a labeler who checks after each submission could recognise it. Screening, which
# labelers know about, counts as time but not as labels; one day has few results of it. Only submitted labels are
# counted, never slots still wanted: with adaptive overlap, an added slot would tell a labeler that someone disagreed
# with them.
OWN_PROGRESS = one_line("""
    SELECT today.labels, today.active_ms, served.number, served.name, least(served.done, served.total), served.total
    FROM (
        SELECT count(*) FILTER (WHERE status = 'submitted' AND id NOT IN (
            SELECT label_id FROM labeling_goldresult WHERE project_id = %(project)s AND labeler_id = %(labeler)s
            AND at >= %(since)s AND kind = 'screening')) AS labels, coalesce(sum(active_ms), 0)::bigint AS active_ms
        FROM labeling_label WHERE project_id = %(project)s AND labeler_id = %(labeler)s AND submitted_at >= %(since)s
        AND status IN ('submitted', 'superseded')) today
    LEFT JOIN (
        SELECT number, name,
            task_count * overlap + (SELECT coalesce(sum(cardinality(tasks)), 0) FROM labeling_goldplan plan
                WHERE plan.round_id = round.id) AS total,
            (SELECT coalesce(sum(labels), 0)::bigint FROM labeling_roundtally tally
                WHERE tally.round_id = round.id) AS done
        FROM labeling_round round WHERE project_id = %(project)s AND CASE WHEN %(round)s::int IS NULL
        THEN status = 'labeling' ELSE number = %(round)s::int AND status = ANY(%(open)s::text[]) END
        ORDER BY priority DESC, number LIMIT 1) served ON true
""")


def own_progress(labeler: User, project: Project, number: int | None = None) -> dict[str, Any]:
    """Return today's (UTC) labels and active milliseconds, and the progress of the open round with that number. Without
    a number, it is the round that is served first. The round is null if no such round is open.
    """
    about = {"labeler": labeler.pk, "project": project.pk, "since": start_of_today()}
    about |= {"round": number, "open": list(OPEN)}
    [(labels, active_ms, found, name, done, total)] = execute_prepared(OWN_PROGRESS, about)
    round_ = None if found is None else {"number": found, "name": name, "done": done, "total": total}
    return {"submitted_today": labels, "active_ms_today": active_ms, "round": round_}


def start_of_today() -> datetime:
    """Return today's midnight, UTC."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
