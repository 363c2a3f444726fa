"""The figures above a labeler's work. Every open page asks for them each minute, so no queue and no past is counted."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from labeling.models import Project, User
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.queries.rounds import OPEN

# Today is read by the index `label_by_labeler`. The round is the one that is asked for, or else that is served first.
# Gold counts like any other task: if it did not, whoever looks after each submission would know it. Screening, which is
# told openly, is time worked and no label of theirs; there are few results of one day. Of labels, those that stand are
# counted, and nothing that is asked for: where the overlap adapts, a slot that is added would tell a labeler that
# somebody disagreed with them.
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
    """Labels and active milliseconds of today (UTC), and how far the open round of that number is, of none the one that
    is served first; null where no such round is open.
    """
    about = {"labeler": labeler.pk, "project": project.pk, "since": start_of_today()}
    about |= {"round": number, "open": list(OPEN)}
    [(labels, active_ms, found, name, done, total)] = execute_prepared(OWN_PROGRESS, about)
    round_ = None if found is None else {"number": found, "name": name, "done": done, "total": total}
    return {"submitted_today": labels, "active_ms_today": active_ms, "round": round_}


def start_of_today() -> datetime:
    """Midnight, UTC."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
