"""Workers' progress with a round: what is done in each stage, how fast, and how long is left."""

from datetime import datetime
from typing import Any

from django.db import connection

from labeling.configs.stages import GENERATING, STAGES, WORKING, Stage, stages_shown
from labeling.models import Round
from labeling.queries.candidates import sample_counts

RECENT = 32  # chunks from which a stage's speed is measured
NOTHING = (0, 0, 0, 0, 0, None, None, None)  # for a stage without chunks

# The speed is that of one worker, from the time that chunks took: pauses and waiting do not make a stage look slow.
PROGRESS = """
    SELECT stage, sum(total), sum(least(done, total)), count(*), count(*) FILTER (WHERE status = 'done'),
        count(*) FILTER (WHERE status = 'running' AND leased_until > now()),
        min(started_at), max(finished_at),
        (array_agg(error ORDER BY finished_at DESC NULLS LAST)
            FILTER (WHERE status IN ('queued', 'running') AND error <> ''))[1]
    FROM labeling_roundchunk WHERE round_id = %s GROUP BY stage
"""
SPEED = """
    SELECT sum(done)::float / nullif(extract(epoch FROM sum(coalesce(finished_at, now()) - started_at)), 0)
    FROM (
        SELECT done, started_at, finished_at FROM labeling_roundchunk
        WHERE round_id = %s AND stage = %s AND started_at IS NOT NULL
            AND (status = 'done' OR status = 'running' AND leased_until > now())
        ORDER BY started_at DESC LIMIT %s
    ) AS recent
"""


def round_progress(round_: Round, asked: list[Stage]) -> dict[str, Any]:
    """Return the state of the stages; the round has those in `asked`. Two queries, four if traces are generated."""
    with connection.cursor() as cursor:
        cursor.execute(PROGRESS, [round_.pk])
        found = {row[0]: row[1:] for row in cursor.fetchall()}
        cursor.execute(SPEED, [round_.pk, round_.planned, RECENT])
        speed = cursor.fetchone()[0]
    stages = []
    for stage in stages_shown(asked):
        state = _state(round_, stage, asked)
        stages.append(_stage(stage, state, found.get(stage.name), speed if stage.name == round_.planned else None))
    samples = sample_counts(round_) if GENERATING in asked else None
    working = round_.status in WORKING
    return {"status": round_.status, "working": working, "error": round_.error, "stages": stages, "samples": samples}


def _state(round_: Round, stage: Stage, asked: list[Stage]) -> str:
    """Return waiting, running, done, failed or skipped."""
    if stage not in asked:
        return "skipped"
    order = list(STAGES)
    at = order.index(round_.planned) if round_.planned else -1
    if order.index(stage.name) < at:
        return "done"
    if order.index(stage.name) > at:
        return "waiting"
    now = {
        Round.Status.FAILED: "failed",
        Round.Status.PAUSED: "running" if round_.opened_at is None else "done",
        Round.Status.CANCELLED: "waiting" if round_.selection is None else "done",
    }
    return now.get(Round.Status(round_.status), "running" if round_.status in WORKING else "done")


def _stage(stage: Stage, state: str, counts: tuple[Any, ...] | None, speed: float | None) -> dict[str, Any]:
    total, done, chunks, chunks_done, workers, started_at, finished_at, fault = counts or NOTHING
    per_second = speed * workers if speed and workers and state == "running" else None
    return {
        "stage": stage.name,
        "title": stage.title,
        "means": stage.means,
        "state": state,
        "total": total,
        "done": total if state == "done" else done,
        "unit": stage.unit,
        "whole": stage.whole,
        "doing": stage.doing_now(total) if stage.whole else "",
        "chunks": chunks,
        "chunks_done": chunks_done,
        "per_second": per_second,
        "seconds_left": round((total - done) / per_second) if per_second else None,
        "started_at": started_at,
        "finished_at": _end(state, finished_at),
        "workers": workers,
        "held_up": fault or "" if state == "running" else "",
    }


def _end(state: str, finished_at: datetime | None) -> datetime | None:
    """Return when the last chunk ended, once the stage is done."""
    return finished_at if state == "done" else None
