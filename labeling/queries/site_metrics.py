"""The current state of the whole site, for monitoring: queues, leases, labels, jobs, workers.

Figures that compare the labels of projects are elsewhere; these show whether work flows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from annotation_app.postgres.replica import has_replica, replica_state
from labeling.configs.stages import GENERATING
from labeling.models.jobs import Job
from labeling.queries.haste import hasty_shares
from labeling.queries.outside_checks import disks
from labeling.queries.sql_slots import fill

LONGEST = "SET LOCAL statement_timeout = '10s'"  # a scrape must not slow the site down
JOB_BUCKETS = (1, 5, 15, 60, 300, 900, 3600, 14400)

QUEUES = """
    SELECT project.slug, round.number::text,
        (SELECT coalesce(sum(labels_wanted), 0) FROM labeling_task WHERE round_id = round.id AND labels_wanted > 0),
        extract(epoch FROM now() - coalesce(round.opened_at, round.created_at))
    FROM labeling_round AS round JOIN labeling_project AS project ON project.id = round.project_id
    WHERE round.status = 'labeling' AND NOT round.imported ORDER BY 1, round.number
"""
CHUNKS = """
    SELECT project.slug, round.number::text, chunk.stage, count(*) FILTER (WHERE chunk.status = 'queued'),
        sum(greatest(chunk.total::bigint - chunk.done, 0)),
        count(*) FILTER (WHERE chunk.status = 'running' AND chunk.leased_until >= now()),
        count(*) FILTER (WHERE chunk.status = 'running' AND chunk.leased_until < now())
    FROM labeling_roundchunk AS chunk JOIN labeling_round AS round ON round.id = chunk.round_id
    JOIN labeling_project AS project ON project.id = round.project_id
    WHERE chunk.status IN ('queued', 'running') AND round.planned = chunk.stage
    GROUP BY 1, round.number, 3 ORDER BY 1, round.number, 3
"""
LEASES = """
    SELECT count(*) FILTER (WHERE leased_until >= now()), count(*) FILTER (WHERE leased_until < now())
    FROM labeling_label WHERE status IN ('open', 'prefetched')
"""
LABELS = """
    SELECT project.slug, (SELECT count(*) FROM labeling_label AS label WHERE label.project_id = project.id
        AND label.submitted_at > now() - interval '1 hour' AND label.status = 'submitted')
    FROM labeling_project AS project ORDER BY 1
"""
GOLD = """
    SELECT project.slug, count(*) FILTER (WHERE result.passed)::float / count(*), count(*)
    FROM labeling_goldresult AS result JOIN labeling_gold AS gold ON gold.id = result.gold_id AND gold.status = 'active'
    JOIN labeling_label AS label ON label.id = result.label_id AND label.status = 'submitted'
    JOIN labeling_project AS project ON project.id = result.project_id
    WHERE result.kind = 'gold' AND result.at > now() - interval '1 day' GROUP BY 1 ORDER BY 1
"""
SPEED = """
    SELECT stage, sum(done)::float / 300, sum(tokens)::float / 300 FROM labeling_roundchunk
    WHERE finished_at > now() - interval '5 minutes' AND status = 'done' GROUP BY 1 ORDER BY 1
"""
BACKUP = """
    SELECT extract(epoch FROM now() - coalesce((detail->>'made_at')::timestamptz, at)) FROM labeling_auditevent
    WHERE project_id IS NULL AND action IN ('backup.make', 'backup.restore') ORDER BY id DESC LIMIT 1
"""
GENERATOR = fill(
    """
    SELECT 'candidates', count(*) FROM labeling_roundchunk
        WHERE status <> 'done' AND stage = '{generating}' AND error <> ''
    UNION ALL SELECT 'steps', count(*) FROM labeling_stepoffer WHERE status <> 'done' AND error <> ''
    UNION ALL SELECT 'suggestions', count(*) FROM labeling_suggestionrequest WHERE status <> 'done' AND error <> ''
    """,
    generating=GENERATING.name,
)
WORKERS = """
    SELECT queue, coalesce(sum(processes) FILTER (WHERE seen_at > now() - interval '60 seconds'), 0)
    FROM (SELECT unnest(ARRAY['cpu', 'gpu'])) AS all_of(queue)
    LEFT JOIN labeling_workerheartbeat ON queue = ANY(string_to_array(queues, ',')) GROUP BY 1 ORDER BY 1
"""
JOBS_NOW = """
    SELECT '{kind}', count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'running'),
        coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE status = 'queued')), 0),
        count(*) FILTER (WHERE status = 'running' AND leased_until < now())
    FROM {table} WHERE status IN ('queued', 'running')
"""
JOBS_DONE = """
    SELECT '{kind}', status, {counts}, count(*), coalesce(sum(extract(epoch FROM finished_at - started_at)), 0)
    FROM {table} WHERE finished_at IS NOT NULL AND started_at IS NOT NULL GROUP BY status
"""


@dataclass(frozen=True)
class Metric:
    """One figure. A row is the values of its labels, and the value; for a histogram, the counts up to each bound, the
    total count, and the sum.
    """

    name: str
    means: str
    labels: Sequence[str]
    rows: Sequence[tuple[Sequence[str], Any]]
    buckets: Sequence[int] = ()


@dataclass(frozen=True)
class Reading:
    """A statement whose rows begin with the values of `labels`; each further column is a separate figure."""

    statement: str
    labels: tuple[str, ...]
    figures: dict[str, str]


IN_ROUND = ("project", "round")
READINGS = (
    Reading(
        QUEUES,
        IN_ROUND,
        {
            "stepmark_queue_labels": "Labels that a round's tasks still want.",
            "stepmark_queue_age_seconds": "How long a round has been open.",
        },
    ),
    Reading(
        CHUNKS,
        (*IN_ROUND, "stage"),
        {
            "stepmark_chunks_queued": "Chunks of a round's stage that are waiting for a worker.",
            "stepmark_chunk_items_left": "Traces left in waiting and running chunks.",
            "stepmark_chunk_leases_open": "Chunks that a worker is processing.",
            "stepmark_chunk_leases_lost": "Chunks whose worker has not reported for a minute.",
        },
    ),
    Reading(
        LEASES,
        (),
        {
            "stepmark_leases_open": "Labels that labelers hold.",
            "stepmark_leases_lost": "Labels whose lease has expired and that the sweep has not yet taken back.",
        },
    ),
    Reading(LABELS, ("project",), {"stepmark_labels_last_hour": "Labels submitted in the last hour and still valid."}),
    Reading(
        GOLD,
        ("project",),
        {
            "stepmark_gold_passed_share": "The share of the last day's gold results that passed.",
            "stepmark_gold_results_last_day": "The number of gold results of the last day.",
        },
    ),
    Reading(
        SPEED,
        ("stage",),
        {
            "stepmark_stage_items_per_second": "Traces per second, in chunks that ended in the last 5 minutes.",
            "stepmark_stage_tokens_per_second": "Tokens per second that PRMs on workers computed in them; else 0.",
        },
    ),
    Reading(GENERATOR, ("asked_for",), {"stepmark_generator_errors": "Work that waits after a generator's error."}),
    Reading(WORKERS, ("queue",), {"stepmark_worker_processes": "Tasks that living workers can do at once."}),
    Reading("SELECT pg_database_size(current_database())", (), {"stepmark_database_bytes": "Size of the database."}),
    Reading(BACKUP, (), {"stepmark_backup_age_seconds": "Time since the last `manage.py backup`; absent without one."}),
)
JOBS = Reading(
    "",
    ("kind",),
    {
        "stepmark_jobs_queued": "Jobs that are waiting.",
        "stepmark_jobs_running": "Jobs that are running.",
        "stepmark_job_oldest_seconds": "How long the oldest job has waited; 0 if none waits.",
        "stepmark_job_leases_lost": "Running jobs whose worker has not reported for a minute.",
    },
)


@transaction.atomic
def site_metrics() -> list[Metric]:
    """Return every figure, read in one transaction of 15 statements."""
    with connection.cursor() as cursor:
        cursor.execute(LONGEST)
    metrics = [metric for reading in READINGS for metric in _metrics_of(reading, reading.statement)]
    metrics += _metrics_of(JOBS, of_all_jobs(JOBS_NOW))
    hasty = [((slug,), share) for slug, share in hasty_shares()]
    means = "The share of hasty labels among the last day's labels, in projects that are labeled now."
    return [*metrics, Metric("stepmark_hasty_share", means, ("project",), hasty), _job_seconds()]


def _metrics_of(reading: Reading, statement: str) -> list[Metric]:
    rows, first = _rows(statement), len(reading.labels)
    return [
        Metric(name, means, reading.labels, [(row[:first], float(row[first + at])) for row in rows])
        for at, (name, means) in enumerate(reading.figures.items())
    ]


def disk_metrics() -> list[Metric]:
    """Return how much disk space this web machine has left."""
    free = [((disk["name"],), disk["free"] / disk["total"]) for disk in disks()]
    return [Metric("stepmark_disk_free_share", "The share of a folder's disk that is free.", ("folder",), free)]


def replica_metrics() -> list[Metric]:
    """Return how this web process sees the replica; nothing if none is configured."""
    if not has_replica():
        return []
    state = replica_state()
    serves = Metric(
        "stepmark_replica_serves", "1 while it serves the reads that may lag.", (), [((), float(state.serves))]
    )
    behind = [] if state.lag is None else [((), state.lag)]
    return [serves, Metric("stepmark_replica_lag_seconds", "How far it is behind the primary.", (), behind)]


def _job_seconds() -> Metric:
    """Return job durations from the jobs' rows, so that all workers' jobs count, wherever they ran."""
    counts = ", ".join(
        f"count(*) FILTER (WHERE finished_at - started_at <= interval '{bound} s')" for bound in JOB_BUCKETS
    )
    rows = [(row[:2], row[2:]) for row in _rows(of_all_jobs(JOBS_DONE, counts=counts))]
    return Metric(
        "stepmark_job_seconds", "Time from a job's last start to its end.", ("kind", "status"), rows, JOB_BUCKETS
    )


def of_all_jobs(statement: str, **pieces: str) -> str:
    kinds = {model._meta.model_name: model._meta.db_table for model in Job.__subclasses__()}
    each = [fill(statement, kind=kind, table=table, **pieces) for kind, table in sorted(kinds.items())]
    return " UNION ALL ".join(each)


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()
