"""For operators: whether jobs of the queue cpu have waited too long, and which jobs are running."""

from typing import Any

from django.db import connection

from labeling.models.sources import SourceChunk
from labeling.queries.job_kinds import WORDS, queue_of
from labeling.queries.sql_slots import fill
from labeling.queries.waiting import KINDS

LONG = 15  # minutes
MOST_NAMED = 5
# By the database's clock, as workers claim. A job to be retried after a failure waits from the time of the retry.
EACH = """
    SELECT '{kind}', project.slug, job.status, extract(epoch FROM now() - CASE job.status
        WHEN 'queued' THEN greatest(job.created_at, job.leased_until) ELSE job.started_at END) / 60
    FROM {table} AS job JOIN labeling_project AS project ON project.id = job.project_id
    WHERE job.status = 'running' AND job.leased_until > now()
        OR job.status = 'queued' AND coalesce(job.leased_until < now(), true)
"""


def long_wait_fault() -> str | None:
    """Return a message if a job has waited too long. It names the longest-waiting job and the longest-running ones."""
    parts = [
        fill(EACH, kind=kind, table=model._meta.db_table)
        for kind, model in KINDS.items()
        if queue_of(model) == "cpu" and model is not SourceChunk  # these run after everything else
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"{' UNION ALL '.join(parts)} ORDER BY 4 DESC")
        rows = cursor.fetchall()
    waiting = [row for row in rows if row[2] == "queued"]
    if not waiting or waiting[0][3] < LONG:
        return None
    running = [_said(row) for row in rows if row[2] == "running"]
    more = f" and {len(running) - MOST_NAMED} more" if len(running) > MOST_NAMED else ""
    at_work = f"At work: {', '.join(running[:MOST_NAMED])}{more}." if running else "No job is at work."
    return (
        f"Waiting: {_said(waiting[0])}. {at_work} "
        "Cancel the job that holds up the others, or start another worker for the queue cpu."
    )


def _said(row: tuple[Any, ...]) -> str:
    kind, slug, _status, minutes = row
    return f"{WORDS[KINDS[kind]]} of {slug} for {minutes:,.0f} minutes"
