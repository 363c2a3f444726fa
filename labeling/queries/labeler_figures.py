"""Labelers side by side: how much they do, how fast, how often they give up, how far they agree with their peers.

Only ordinary work counts, except in what people see of themselves. Revisions count in place of what they replaced.
Deactivated labelers stay in the figures.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
from django.db import connection

from labeling.models import Project, Round
from labeling.protocol.verdicts import NO_ERROR
from labeling.queries.haste import project_floor_ms
from labeling.queries.labeler_pace import Pace, paces
from labeling.queries.labeler_work import CHOSEN, OWN_LABELS, SECONDS_OF, WORK
from labeling.queries.sql_slots import fill
from labeling.statistics.intervals import Estimate, share, share_of_clusters

# Hidden gold that counts: its label is still submitted, and the gold was not retired.
GOLD_RESULTS = """
    FROM labeling_goldresult result JOIN labeling_gold item ON item.id = result.gold_id
    JOIN labeling_label answer ON answer.id = result.label_id {joined}
    WHERE result.project_id = %(project)s AND result.kind = 'gold' AND item.status = 'active'
    AND answer.status = 'submitted'
"""
# How far labels can be trusted is measured without those left out by hand; a labeler's own figures include them.
GOLD_TO_TRUST = f"{GOLD_RESULTS} AND NOT answer.excluded"
# A pair counts if the labeler's own label is among the narrowed ones; the task's other label may be of any time.
FIGURES = f"""
    {CHOSEN}, by_problem AS (
        SELECT own.labeler_id, own.problem_id, count(*) AS pairs,
            count(*) FILTER (WHERE own.verdict = other.verdict) AS same
        FROM chosen own JOIN work other ON other.task_id = own.task_id AND other.labeler_id <> own.labeler_id
        WHERE own.verdict IS NOT NULL AND other.verdict IS NOT NULL GROUP BY own.labeler_id, own.problem_id
    ), peers AS (
        SELECT labeler_id, array_agg(pairs ORDER BY problem_id) AS pairs, array_agg(same ORDER BY problem_id) AS same
        FROM by_problem GROUP BY labeler_id
    ), gold AS (
        SELECT result.labeler_id, count(*) AS seen, count(*) FILTER (WHERE result.passed) AS passed
        {fill(GOLD_RESULTS, joined="JOIN labeling_task its ON its.id = answer.task_id")}
        AND (%(round)s::bigint IS NULL OR its.round_id = %(round)s)
        AND (%(since)s::timestamptz IS NULL OR answer.submitted_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR answer.submitted_at < %(until)s)
        GROUP BY result.labeler_id
    )
    SELECT person.id, coalesce(nullif(person.display_name, ''), person.username), coalesce(member.is_active, false),
        count(*), coalesce(sum(chosen.steps), 0), sum(chosen.active_ms),
        count(*) FILTER (WHERE chosen.finish_reason = 'give_up'),
        count(*) FILTER (WHERE chosen.steps > 0 AND chosen.active_ms < chosen.steps * %(floor)s),
        count(*) FILTER (WHERE chosen.steps > 0), count({fill(SECONDS_OF, label="chosen")}),
        coalesce(max(peers.same), '{{}}'), coalesce(max(peers.pairs), '{{}}'),
        coalesce(max(gold.passed), 0), coalesce(max(gold.seen), 0), max(chosen.submitted_at)
    FROM chosen JOIN labeling_user person ON person.id = chosen.labeler_id
    LEFT JOIN labeling_membership member ON member.user_id = person.id AND member.project_id = %(project)s
    LEFT JOIN peers ON peers.labeler_id = person.id LEFT JOIN gold ON gold.labeler_id = person.id
    GROUP BY person.id, member.is_active ORDER BY count(*) DESC, person.id
"""


TIMED = 9  # where a row of FIGURES has the number of timed labels with a rated step


def labeler_figures(
    project: Project,
    *,
    round: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> dict[str, Any]:
    """Return a row for everybody who submitted work, most labels first; the floor of haste; and the rounds with
    ordinary work, to which the rows can be narrowed. Four queries.

    Narrowed to a round (its id) and to labels submitted from `since` and before `until`, every figure covers only these
    labels: gold covers answers to hidden gold in that round and time, and peers cover pairs in which the labeler's own
    label is one of them. The other label of such a pair may be of any time, as whom it agrees with does not depend on
    the clock. The floor is always the project's current one.
    """
    floor = project_floor_ms(project)
    asked = {"project": project.pk, "round": round, "since": since, "until": until}
    with connection.cursor() as cursor:
        cursor.execute(FIGURES, {**asked, "floor": floor})
        rows = cursor.fetchall()
    pace_of = paces({row[0]: row[TIMED] for row in rows}, asked)
    rounds = Round.objects.filter(project=project, imported=False).exclude(status=Round.Status.SCREENING)
    return {
        "results": [_row(pace_of, *row) for row in rows],
        "floor_ms": floor,
        "rounds": list(rounds.order_by("-number").values("id", "number", "name")),
    }


def table(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return the rows of a table, header first. Columns added later come last."""
    shares, parts = ("gold", "peers", "give_up", "too_fast"), ("low", "high", "n")
    head = ("labeler", "active", "labels", "steps", "active hours", "seconds a step")
    named = [f"{name} {part}" for name in shares for part in ("share", *parts)]
    newest = [f"newest {part}" for part in ("seconds a step", *parts, "change")]
    return [(*head, *named, *(f"seconds a step {part}" for part in parts), *newest)] + [
        (
            *(row["display_name"], row["is_active"], row["labels"], row["steps"]),
            row["active_ms"] / 3_600_000 if row["active_ms"] else None,  # no label has a time
            row["seconds_a_step"],
            *(row[name][part] for name in shares for part in ("value", *parts)),
            *(row["pace"]["median"][part] for part in parts),
            *((row["pace"]["newest"] or {}).get(part) for part in ("value", *parts)),
            row["pace"]["change"],
        )
        for row in rows
    ]


def _row(pace_of: Mapping[int, Pace], *columns: Any) -> dict[str, Any]:
    person, name, active, labels, steps, ms, gave_up, fast, judged, _, same, pairs, *gold, last = columns
    pace = pace_of[person]
    return {
        "id": person,
        "display_name": name,
        "is_active": active,
        "labels": labels,
        "steps": int(steps),
        "active_ms": int(ms),
        "seconds_a_step": pace.median.value,
        "pace": pace.as_json(),
        "give_up": asdict(share(gave_up, labels)),
        "too_fast": asdict(share(fast, judged)),
        "peers": asdict(_alike(same, pairs)),
        "gold": asdict(share(*gold)),
        "last_at": last,
    }


def _alike(same: Sequence[int], pairs: Sequence[int]) -> Estimate:
    """Return a share with one cluster per problem, as on a labeler's own page: pairs of a task or problem are alike."""
    parts = (np.array(counts, np.float64) for counts in (same, pairs))
    return share_of_clusters(*parts, n=sum(pairs))


ROUNDS_OF = """
    {work}
    SELECT round.number, round.name, round.status = 'closed', count(*), coalesce(sum(work.steps), 0),
        coalesce(sum(work.active_ms), 0), count(*) FILTER (WHERE work.finish_reason = 'give_up'),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY {seconds})
    FROM work JOIN labeling_task task ON task.id = work.task_id JOIN labeling_round round ON round.id = task.round_id
    WHERE work.labeler_id = %(labeler)s GROUP BY round.id ORDER BY round.number
"""
OWN_ROUNDS, ROUNDS_OF_WORK = (
    fill(ROUNDS_OF, work=work, seconds=fill(SECONDS_OF, label="work")) for work in (OWN_LABELS, WORK)
)


# Only of closed rounds: while a round is open, nobody may learn which of its tasks were gold.
OF_CLOSED_ROUNDS = """
    JOIN labeling_task task ON task.id = answer.task_id
    JOIN labeling_round round ON round.id = task.round_id AND round.status = 'closed'
    JOIN labeling_trace trace ON trace.id = task.trace_id JOIN labeling_problem problem ON problem.id = trace.problem_id
"""
OWN_GOLD = f"""
    SELECT round.number, result.passed, answer.id, result.verdict, item.acceptable, item.explanation, item.paragraph,
        trace.steps, problem.text
    {fill(GOLD_RESULTS, joined=OF_CLOSED_ROUNDS)} AND result.labeler_id = %(labeler)s
    ORDER BY result.at DESC, result.id DESC
"""
# What a confusion costs: a missed error gets into the data unseen; a false alarm discards good steps; the wrong place
# is wrong by some steps; giving up says nothing.
COSTS = ("missed_error", "false_alarm", "wrong_place", "no_verdict")
MOST_SHOWN = 20


def own_gold(labeler_id: int, project: Project) -> dict[str, Any]:
    """Return one labeler's agreement with gold of closed rounds, by round, and their confusions, costliest first."""
    with connection.cursor() as cursor:
        cursor.execute(OWN_GOLD, {"project": project.pk, "labeler": labeler_id})
        rows = cursor.fetchall()
    passed = Counter(number for number, right, *_ in rows if right)
    seen = Counter(number for number, *_ in rows)
    confusions = [
        {
            "kind": _confusion(verdict, acceptable),
            "round": number,
            "label_id": label,
            "verdict": verdict,
            "acceptable": acceptable,
            "explanation": explanation,
            "paragraph": paragraph,
            "steps": steps,
            "problem": problem,
        }
        for number, right, label, verdict, acceptable, explanation, paragraph, steps, problem in rows
        if not right
    ]
    counts = Counter(one["kind"] for one in confusions)
    return {
        "rounds": [{"number": number, "gold": asdict(share(passed[number], seen[number]))} for number in sorted(seen)],
        "confusions": sorted(confusions, key=lambda one: COSTS.index(one["kind"]))[:MOST_SHOWN],
        "counts": {kind: counts[kind] for kind in COSTS},
    }


def _confusion(verdict: int | None, acceptable: list[int]) -> str:
    if verdict is None:
        return "no_verdict"
    if verdict == NO_ERROR:
        return "missed_error"
    return "false_alarm" if acceptable == [NO_ERROR] else "wrong_place"


def own_rounds(labeler_id: int, project: Project, *, gold: bool) -> list[dict[str, Any]]:
    """Return one labeler's own figures, by round: with `gold`, as they may see them themselves; without, of ordinary
    work, as in `labeler_figures`. One query, with nothing about anybody else.
    """
    with connection.cursor() as cursor:
        cursor.execute(OWN_ROUNDS if gold else ROUNDS_OF_WORK, {"project": project.pk, "labeler": labeler_id})
        return [
            {
                "number": number,
                "name": name,
                "closed": closed,
                "labels": labels,
                "steps": int(steps),
                "active_ms": int(ms),
                "seconds_a_step": seconds,
                "give_up": asdict(share(gave_up, labels)),
            }
            for number, name, closed, labels, steps, ms, gave_up, seconds in cursor.fetchall()
        ]
