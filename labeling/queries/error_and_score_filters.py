"""What people and the project's selector say of traces, for filters and columns of trace lists.

The first error is that of the newest ruling, otherwise what most counting labels of ordinary tasks say; on a tie, they
`differ` (`first_errors.VOTED`). The score is the trace's score by one step scorer: for a scorer of probabilities, the
probability (the table holds its logarithm), otherwise the value as stored.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from labeling.configs import TraceFilter
from labeling.errors import LabelHeld
from labeling.models import Project, Score, StepScorer, User
from labeling.queries.first_errors import VOTED
from labeling.queries.held_labels import held_traces
from labeling.queries.sql_slots import fill, positional

Json = dict[str, Any]
FIRST_ERRORS = {"none": "first_error = -1", "some": "first_error >= 0", "differ": "first_error IS NULL"}
OF_ERRORS = ("first_error", "error_min", "error_max")
OF_SCORES = ("score_min", "score_max")
FILTERS = (*OF_ERRORS, *OF_SCORES, "scorer")

# Traces the reader is labeling are `hidden`: what others, or the PRM, say of them would tell what to look for.
VOTED_ERRORS = fill(VOTED, which="task.trace_id <> ALL(%(hidden)s::bigint[])")
VOTED_ERRORS_OF = fill(
    VOTED, which="task.trace_id = ANY(%(traces)s::bigint[]) AND task.trace_id <> ALL(%(hidden)s::bigint[])"
)
SCORED = """
    SELECT scored.trace_id FROM labeling_score AS scored WHERE scored.scorer_id = %(scorer)s
        AND scored.score >= %(score_min)s AND scored.score <= %(score_max)s
        AND scored.trace_id <> ALL(%(hidden)s::bigint[])
"""


class FirstErrorAndScore(NamedTuple):
    """A trace's first error and score. `first_error` counts from 0; -1 means no error, None that nobody gave a verdict
    or that labels `differ`. `score` is None if there is none.
    """

    first_error: int | None = None
    differ: bool = False
    score: float | None = None


def asks(asked: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Return whether any of these filters is set. A bound of 0 counts as set."""
    return any(asked.get(name) not in (None, "") for name in names)


def error_fits(asked: Mapping[str, Any], names: Sequence[str] = OF_ERRORS) -> str:
    """Return an SQL condition for a row of `VOTED_ERRORS`; empty if none of those filters is set."""
    bounds = {"error_min": "first_error >= %(error_min)s", "error_max": "first_error BETWEEN 0 AND %(error_max)s"}
    given = [name for name in names if asks(asked, [name])]
    parts = [FIRST_ERRORS[asked[name]] if name == "first_error" else bounds[name] for name in given]
    return " AND ".join(parts)


def score_fits(asked: Mapping[str, Any], trace: str) -> str:
    """Return an SQL condition for the trace of that name; empty if no score filter is set."""
    return f"{trace}.id IN ({SCORED})" if asks(asked, OF_SCORES) else ""


def values_of(asked: Mapping[str, Any], project: Project, scorer: StepScorer | None, hidden: Sequence[int]) -> Json:
    """Return the parameters for the SQL of `error_fits`, `score_fits` and `VOTED_ERRORS`."""
    least, most = (asked.get(name) for name in OF_SCORES)
    return {
        "project": project.pk,
        "hidden": list(hidden),
        "error_min": asked.get("error_min"),
        "error_max": asked.get("error_max"),
        "scorer": scorer.pk if scorer else None,
        "score_min": -math.inf if least is None else _held(scorer, least),
        "score_max": math.inf if most is None else _held(scorer, most),
    }


def narrowed_by(
    asked: Mapping[str, Any], project: Project, scorer: StepScorer | None, hidden: Sequence[int] = ()
) -> list[Q]:
    """Return conditions for a queryset of a project's traces; scores are those of `scorer`.

    No condition names a table: inside another query these traces have another alias, and the outer query its own.
    """
    found = []
    if fits := error_fits(asked):
        found.append(f"SELECT trace_id FROM ({VOTED_ERRORS}) AS voted WHERE {fits}")
    if asks(asked, OF_SCORES):
        found.append(SCORED)
    values = values_of(asked, project, scorer, hidden) if found else {}
    return [Q(pk__in=RawSQL(*positional(one, values))) for one in found]


def refuse_to_count_held(user: User, project: Project, asked: TraceFilter) -> None:
    """Raise LabelHeld if the number of matching traces would reveal what others, or the PRM, say of a trace the user is
    labeling, or whether it is gold.
    """
    held = held_traces(user, project)
    by_what_is_said = asks(asked.as_json(), (*OF_ERRORS, *OF_SCORES))
    if held and (by_what_is_said or not set(held).isdisjoint(asked.ids or ())):
        raise LabelHeld(
            "You are labeling a trace of this project, or have your next one: how many traces fit would tell what is"
            " known of it. Submit or release your label, then count again."
        )


def first_errors_and_scores(
    project: Project, scorer: StepScorer | None, hidden: Sequence[int], traces: Iterable[int]
) -> dict[int, FirstErrorAndScore]:
    """Return the known first error and score of each trace. Two queries."""
    wanted = list(traces)
    with connection.cursor() as cursor:
        cursor.execute(VOTED_ERRORS_OF, {"project": project.pk, "traces": wanted, "hidden": list(hidden)})
        found = {
            trace: FirstErrorAndScore(first_error, first_error is None) for trace, first_error, _ in cursor.fetchall()
        }
    scores = Score.objects.filter(scorer=scorer, trace__in=wanted) if scorer else Score.objects.none()
    for trace, score in scores.exclude(trace__in=hidden).values_list("trace", "score"):
        found[trace] = found.get(trace, FirstErrorAndScore())._replace(score=_told(scorer, score))
    return found


def _held(scorer: StepScorer | None, value: float) -> float:
    if scorer is None or scorer.scale != "probability":
        return value
    return math.log(value) if value > 0 else -math.inf


def _told(scorer: StepScorer | None, score: float | None) -> float | None:
    if score is None:
        return None
    told = math.exp(score) if scorer is not None and scorer.scale == "probability" else score
    return told if math.isfinite(told) else None
