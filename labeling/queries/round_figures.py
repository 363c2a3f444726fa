"""A round in figures with intervals, as its labels are now: what it found, what it cost and how far to trust it; and
two rounds compared.

In figures of traces, each task counts once, as in its report (`round_report`). Problems are the clusters; for gold,
gold items are. Two rounds that share problems are more alike than two rounds of different problems, so their
difference's interval is too wide, not too narrow.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from django.db import connection

from labeling.errors import NotFound
from labeling.models import Project, Round
from labeling.queries.agreement import same_first_error
from labeling.queries.choice_worth import choice_worth_of
from labeling.queries.haste import HastyLabels, hasty_by_round, project_floor_ms
from labeling.queries.home import ruled, share_by
from labeling.queries.labeler_figures import GOLD_TO_TRUST
from labeling.queries.round_report import OF_ROUND, endings_by_problem, labels_that_count, share_ended
from labeling.queries.sql_slots import fill
from labeling.queries.time_spent import time_report
from labeling.statistics.intervals import Estimate, Floats, difference, share, share_of_clusters

Json = dict[str, Any]
Better = Literal["higher", "lower"]
Mark = Literal["better", "worse", "differs", "cannot_tell", "not_known"]
MARKS: tuple[Mark, ...] = ("better", "worse", "differs", "cannot_tell", "not_known")


@dataclass(frozen=True)
class RoundFigure:
    """What a figure is about (`found`, `cost`, `trust`), which direction is better, and whether it is a share."""

    group: Literal["found", "cost", "trust"]
    better: Better | None = None
    is_share: bool = True


FIGURES = {
    "errors_found": RoundFigure("found"),  # of labeled traces, those in which an error was found
    "yield": RoundFigure("found", "higher"),  # the same, of those with a wrong answer
    "bad_problem": RoundFigure("found", "lower"),  # of labels
    "give_up": RoundFigure("found", "lower"),  # of labels
    "minutes_per_trace": RoundFigure("cost", "lower", is_share=False),
    "minutes_per_step": RoundFigure("cost", "lower", is_share=False),
    "minutes_per_error": RoundFigure("cost", "lower", is_share=False),
    "gold": RoundFigure("trust", "higher"),
    "agreement": RoundFigure("trust", "higher"),
    "hasty": RoundFigure("trust", "lower"),
    "read_twice": RoundFigure("trust"),  # of labeled traces, those with two labels or more
}
ASKED_OF_GOLD = "JOIN labeling_task AS task ON task.id = answer.task_id AND task.round_id = %(round)s"
GOLD = f"""
    SELECT count(*) FILTER (WHERE result.passed), count(*) {fill(GOLD_TO_TRUST, joined=ASKED_OF_GOLD)}
    GROUP BY item.id ORDER BY item.id
"""
# One row per problem: labeled traces, those with an error, those with a wrong answer, those of the latter with an
# error, and those read by two or more labelers.
TRACES = f"""
    {OF_ROUND}, readers AS (SELECT task, count(*) AS labels FROM counted GROUP BY task)
    SELECT count(*), count(*) FILTER (WHERE verdict.reason = 'found_error'),
        count(*) FILTER (WHERE trace.outcome = 'wrong'),
        count(*) FILTER (WHERE trace.outcome = 'wrong' AND verdict.reason = 'found_error'),
        count(*) FILTER (WHERE readers.labels > 1)
    FROM verdicts AS verdict JOIN readers ON readers.task = verdict.task
    JOIN labeling_task AS task ON task.id = verdict.task JOIN labeling_trace AS trace ON trace.id = task.trace_id
    GROUP BY trace.problem_id ORDER BY trace.problem_id
"""


def round_figures(round_: Round) -> dict[str, Estimate]:
    """Return every figure of FIGURES. Seven queries."""
    traces, ended = _parts(TRACES, round_, 5), endings_by_problem(labels_that_count(round_))
    [hasty] = hasty_by_round(round_.project, project_floor_ms(round_.project), round_) or [HastyLabels(round_.pk, 0, 0)]
    spent = time_report(round_.project, round_)
    about = {"project": round_.project_id, "round": round_.pk}
    return {
        "errors_found": _share(traces, 1, 0),
        "yield": _share(traces, 3, 2),
        "bad_problem": share_ended(ended, "bad_problem"),
        "give_up": share_ended(ended, "give_up"),
        **{f"minutes_{per}": Estimate(**spent[per]) for per in ("per_trace", "per_step", "per_error")},
        "gold": share_by(GOLD, **about),
        "agreement": same_first_error(round_.project, round=round_.pk),
        "hasty": share(hasty.hasty, hasty.judged),
        "read_twice": _share(traces, 4, 0),
    }


def told_of(round_: Round) -> Json:
    """Return the start of a round's page: all figures, those with rules in the project, and what choosing was worth."""
    found = round_figures(round_)
    rows = [{"name": name, "estimate": asdict(one), **_about(name)} for name, one in found.items()]
    trust = ruled({name: found[name] for name in ("gold", "agreement", "hasty")})
    return {"figures": rows, "trust": trust, "worth": choice_worth_of(round_)}


def compared(project: Project, one_id: int, other_id: int) -> Json:
    """Compare two rounds of a project: each figure of both, how much higher it is in the other, and its mark.

    Raises NotFound.
    """
    found = Round.objects.filter(project=project, pk__in=[one_id, other_id]).select_related("project", "scorer")
    rounds = {round_.pk: round_ for round_ in found}
    if one_id not in rounds or other_id not in rounds:
        raise NotFound
    one, other = round_figures(rounds[one_id]), round_figures(rounds[other_id])
    rows = []
    for name, figure in FIGURES.items():
        apart = difference(other[name], one[name], shares=figure.is_share)
        values = {"one": asdict(one[name]), "other": asdict(other[name]), "difference": asdict(apart)}
        rows.append({"name": name, **_about(name), **values, "mark": mark_of(apart, figure.better)})
    return {"one": rounds[one_id], "other": rounds[other_id], "rows": rows}


def mark_of(apart: Estimate, better: Better | None) -> Mark:
    """Return what a difference says: a direction only if the whole interval has it."""
    if apart.value is None:
        return "not_known"
    if apart.low is None or apart.high is None or apart.low <= 0 <= apart.high:
        return "cannot_tell"
    if better is None:
        return "differs"
    return "better" if (apart.low > 0) == (better == "higher") else "worse"


def _about(name: str) -> Json:
    figure = FIGURES[name]
    return {"group": figure.group, "better": figure.better, "is_share": figure.is_share}


def _share(parts: Floats, part: int, whole: int) -> Estimate:
    return share_of_clusters(parts[:, part], parts[:, whole], n=int(parts[:, whole].sum()))


def _parts(statement: str, round_: Round, columns: int) -> Floats:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"round": round_.pk})
        return np.array(cursor.fetchall(), dtype=np.float64).reshape(-1, columns)
