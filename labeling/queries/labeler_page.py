"""One labeler, for researchers: gold, agreement with peers and differences, pace by day, haste, comments, time and pay.

Covers ordinary work, as in the list of labelers (`labeler_figures`); gold and pay say what they cover. Traces the
reader is labeling are never named.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Q, Sum

from labeling.errors import NotFound
from labeling.models import Label, Membership, Project, StepComment, Task, User
from labeling.queries.agreement import CHOSEN_BESIDE, FARTHEST
from labeling.queries.forecasts import HOUR_MS
from labeling.queries.gold import results_of
from labeling.queries.haste import medians_by_labeler, project_floor_ms
from labeling.queries.held_labels import held_traces
from labeling.queries.home import ruled
from labeling.queries.labeler_figures import own_rounds
from labeling.queries.labeler_pace import paces
from labeling.queries.labeler_work import SECONDS_OF, WORK
from labeling.queries.labels import BAD_PROBLEM_VOTE
from labeling.queries.sql_slots import fill
from labeling.statistics.drift import drift_a_week
from labeling.statistics.intervals import Estimate, share, share_of_clusters, unknown

Json = dict[str, Any]
GOLD_SHOWN = 200  # newest results
PEERS_SHOWN = 50
DIFFERING_SHOWN = 3  # traces per peer
COMMENTS_SHOWN = 10

SECONDS = fill(SECONDS_OF, label="work")
READ = "work.steps > 0 AND work.active_ms > 0 AND work.active_ms >= work.steps * %(floor)s"
BY_DAY = f"""
    {WORK}
    SELECT (work.submitted_at AT TIME ZONE 'UTC')::date, count(*), count(*) FILTER (WHERE work.steps > 0),
        count(*) FILTER (WHERE work.steps > 0 AND work.active_ms < work.steps * %(floor)s),
        count({SECONDS}), percentile_cont(0.5) WITHIN GROUP (ORDER BY {SECONDS}),
        count(*) FILTER (WHERE {READ}), coalesce(sum(ln(work.active_ms::float8 / work.steps)) FILTER (WHERE {READ}), 0)
    FROM work WHERE work.labeler_id = %(labeler)s GROUP BY 1 ORDER BY 1
"""
SAID_BY_BOTH = """
    FROM shared AS one JOIN shared AS other ON other.trace_id = one.trace_id AND other.labeler_id <> one.labeler_id
    JOIN labeling_trace AS trace ON trace.id = one.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    WHERE one.labeler_id = %(labeler)s AND one.verdict IS NOT NULL AND other.verdict IS NOT NULL
"""
PEERS = f"""
    {CHOSEN_BESIDE}
    SELECT other.labeler_id, count(*) FILTER (WHERE one.verdict = other.verdict), count(*) {SAID_BY_BOTH}
    GROUP BY other.labeler_id, trace.problem_id ORDER BY other.labeler_id, trace.problem_id
"""
DIFFERING = f"""
    {CHOSEN_BESIDE}
    SELECT * FROM (
        SELECT other.labeler_id, one.trace_id, left(problem.text, 200), one.finish_reason, one.verdict,
            other.finish_reason, other.verdict,
            row_number() OVER (PARTITION BY other.labeler_id ORDER BY {FARTHEST}) AS place {SAID_BY_BOTH}
            AND one.verdict <> other.verdict AND one.trace_id <> ALL(%(held)s::bigint[])
    ) AS each WHERE place <= {DIFFERING_SHOWN} ORDER BY labeler_id, place
"""


def get_labeler(project: Project, labeler_id: int) -> User:
    """Return somebody who labeled here, or is a member. Raises NotFound."""
    here = Q(pk__in=Label.objects.filter(project=project, labeler=labeler_id).values("labeler")) | Q(
        pk__in=Membership.objects.filter(project=project, user=labeler_id).values("user")
    )
    found = User.objects.filter(here, pk=labeler_id).first()
    if found is None:
        raise NotFound
    return found


def labeler_page(project: Project, labeler: User, reader: User) -> Json:
    """Return everything the page shows. About sixteen queries, however much was labeled."""
    about = {"project": project.pk, "labeler": labeler.pk, "floor": (floor := project_floor_ms(project))}
    held = held_traces(reader, project)
    member = Membership.objects.filter(project=project, user=labeler).first()
    days = _days(about)
    gold = _gold(project, labeler, held)
    peers, agreement = _peers(project, about, held)
    pace = _pace(project, labeler, about, days)
    hasty = share(sum(day["hasty"] for day in days), sum(day["judged"] for day in days))
    shares = {"gold": gold["share"], "agreement": agreement, "hasty": hasty}
    return {
        "labeler": labeler,
        "role": member.role if member else None,
        "is_active": bool(member and member.is_active),
        "paused_at": member.paused_at if member else None,
        "labels": sum(day["labels"] for day in days),
        "floor_ms": floor,
        "figures": ruled(shares),
        "gold": gold,
        "pace": pace,
        "peers": peers,
        "reviewed": asdict(_as_reviewed(project, labeler)),
        "comments": _comments(project, labeler, held),
        "paid": _paid(project, labeler),
        "rounds": own_rounds(labeler.pk, project, gold=False),
    }


def _days(about: Json) -> list[Json]:
    """Return the days on which they labeled, each with the sum of logarithms from which the drift is computed."""
    names = ("day", "labels", "judged", "hasty", "timed", "seconds_a_step", "read", "logs")
    return [dict(zip(names, row, strict=True)) for row in _rows(BY_DAY, about)]


def _pace(project: Project, labeler: User, about: Json, days: Sequence[Json]) -> Json:
    """Return the median, overall and by day, the drift of labels that were not hasty, and other labelers' medians."""
    of_all = {**about, "round": None, "since": None, "until": None}
    own = paces({labeler.pk: sum(day["timed"] for day in days)}, of_all)[labeler.pk]
    first: date | None = days[0]["day"] if days else None
    read = [((day["day"] - first).days, day["read"], day["logs"]) for day in days] if first else []
    others = sorted(ms / 1000 for pk, ms in medians_by_labeler(project).items() if pk != labeler.pk)
    return {
        "seconds_a_step": own.median.value,
        **own.as_json(),
        "others": {"labelers": len(others), "least": others[0] if others else None, "most": max(others, default=None)},
        "drift_a_week": asdict(drift_a_week(read)),
        "days": days,
    }


def _gold(project: Project, labeler: User, held: Sequence[int]) -> Json:
    """Return the share of hidden gold that counts, and each result with the share so far."""
    rows = results_of(labeler, project).values_list(
        "at", "passed", "verdict", "gold__acceptable", "gold__trace_id", "gold__trace__problem__text"
    )
    results, passed = [], 0
    for place, (at, right, verdict, acceptable, trace, problem) in enumerate(rows, 1):
        passed += right
        one = {"at": at, "passed": right, "verdict": verdict, "acceptable": acceptable, "trace_id": trace}
        shown = None if trace in held else trace
        so_far = asdict(share(passed, place))
        results.append({**one, "trace_id": shown, "problem": "" if shown is None else problem[:200], "so_far": so_far})
    return {"share": share(passed, len(results)), "results": results[-GOLD_SHOWN:]}


def _peers(project: Project, about: Json, held: Sequence[int]) -> tuple[list[Json], Estimate]:
    """Return the peers who read the same traces, those who share the most first: how often both say the same, and where
    they differ. Also return the share over all peers.
    """
    asked = {**about, "round": None, "subject": None, "level": None, "pair": None, "base": False, "held": list(held)}
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for peer, same, pairs in _rows(PEERS, asked):
        parts[peer].append((same, pairs))
    if not parts:
        return [], unknown(0)
    differing: dict[int, list[Json]] = defaultdict(list)
    names = ("trace_id", "problem", "one_reason", "one_verdict", "other_reason", "other_verdict")
    for peer, *row, _ in _rows(DIFFERING, asked):
        differing[peer].append(dict(zip(names, row, strict=True)))
    people = User.objects.in_bulk(list(parts))
    shown = sorted(parts, key=lambda peer: (-sum(pairs for _, pairs in parts[peer]), peer))[:PEERS_SHOWN]
    found = [
        {"labeler": people[peer], "share": asdict(_alike(parts[peer])), "differing": differing[peer]} for peer in shown
    ]
    return found, _alike([one for each in parts.values() for one in each])


def _alike(parts: Sequence[tuple[int, int]]) -> Estimate:
    """Return a share; each entry is a problem."""
    counts = np.array(parts, dtype=np.float64)
    return share_of_clusters(counts[:, 0], counts[:, 1], n=int(counts[:, 1].sum()))


def _as_reviewed(project: Project, labeler: User) -> Estimate:
    """Return the share of their traces ruled on by a reviewer on which the ruling is what they said."""
    told = Label.objects.filter(
        project=project, labeler=labeler, status=Label.Status.SUBMITTED, task__settlement=Task.Settlement.RULED
    ).exclude(finish_reason=Label.FinishReason.GIVE_UP)
    said = list(told.values_list("finish_reason", "verdict", "task__verdict"))
    right = sum(
        _vote(reason, verdict) == (BAD_PROBLEM_VOTE if ruled is None else ruled) for reason, verdict, ruled in said
    )
    return share(right, len(said))


def _vote(reason: str, verdict: int | None) -> int | None:
    return BAD_PROBLEM_VOTE if reason == Label.FinishReason.BAD_PROBLEM else verdict


def _comments(project: Project, labeler: User, held: Sequence[int]) -> Json:
    """Return what they wrote about steps, latest first, in labels that stand: a revision repeats its comments."""
    written = StepComment.objects.filter(label__project=project, label__labeler=labeler, author=labeler)
    written = written.filter(label__status=Label.Status.SUBMITTED)
    written = written.exclude(label__task__trace__in=held).select_related("label__task__round")
    latest = list(written.order_by("-created_at", "-pk")[:COMMENTS_SHOWN])
    return {
        "count": written.count(),
        "latest": [
            {
                "text": one.text,
                "step": one.step_index,
                "trace_id": one.label.task.trace_id,
                "round": one.label.task.round.number,
                "at": one.created_at,
            }
            for one in latest
        ],
    }


def _paid(project: Project, labeler: User) -> Json:
    """Return all their active time, including gold, screening and earlier versions, and the pay for it."""
    spent = Label.objects.filter(
        project=project,
        labeler=labeler,
        status__in=[Label.Status.SUBMITTED, Label.Status.SUPERSEDED],
        task__round__imported=False,
    )
    ms = spent.aggregate(ms=Sum("active_ms"))["ms"] or 0
    rate = project.hourly_rate
    return {
        "active_ms": ms,
        "money": None if rate is None else ms / HOUR_MS * float(rate),
        "currency": project.currency,
        "hourly_rate": None if rate is None else str(rate),
    }


def _rows(statement: str, about: Json) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, about)
        return list(cursor.fetchall())
