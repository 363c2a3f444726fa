"""Ways of choosing other than convincing wrong answers: whether a round can use those it asks for, and which mix is
recommended, judged by what labels of randomly drawn traces show about the pool.

The bounds lie between two kinds of pool in which the benefit of choosing was measured (docs/active-learning.md):
simulated ones where a random label finds an error in one of six traces, and pools where it does in about one of two.
The shares are a judgement: no mix has been measured.
"""

from dataclasses import asdict
from typing import Any, Literal

import numpy as np
from django.db import connection

from labeling.errors import InvalidFields
from labeling.models import Project, Score, StepScorer, Task, Trace
from labeling.queries.error_and_score_filters import OF_ERRORS, OF_SCORES
from labeling.queries.sql_slots import fill
from labeling.queries.step_scorers import scorers_of
from labeling.queries.task_endings import ENDINGS
from labeling.queries.unsure_scores import SCALE
from labeling.selection import BY_TEXT, CONVINCING_ONLY, Mix, Rules
from labeling.statistics.intervals import Estimate, share_of_clusters

FEWEST_SHARE = 0.05  # of a mix's round, drawn at random
RARE, COMMON = 0.2, 0.5  # share of randomly drawn traces that have an error
Way = Literal["unsure", "wavering", "typical"]
JUDGED = "The shares are a judgement: no mix has been measured."
INSTEAD = {
    "wavering": "Wavering heads stand in for unsure steps here.",
    "typical": "Typical traces stand in for unsure steps here, as this PRM gives no probabilities.",
}
ADVISED = ("no_prm", "errors_rare", "errors_common", "not_known")
# Filters that can narrow a round to traces with or without an error: a random draw from those is unlike the pool.
TELLING = ("outcome", *OF_ERRORS, *OF_SCORES, "ids")
DRAWN = """
    task.reason = ANY(%(chance)s) AND task.round_id IN (
        SELECT id FROM labeling_round WHERE project_id = %(project)s
            AND NOT jsonb_exists_any(coalesce(config -> 'filter', '{}'), %(telling)s))
"""
# Finished tasks drawn at random, one row per problem: those that ended in a verdict, and how many of them in an error.
BY_CHANCE = f"""
    {fill(ENDINGS, which=DRAWN)}
    SELECT count(*), count(*) FILTER (WHERE verdicts.reason = 'found_error')
    FROM verdicts JOIN labeling_task AS task ON task.id = verdicts.task
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    WHERE verdicts.reason IN ('found_error', 'solution') GROUP BY trace.problem_id ORDER BY trace.problem_id
"""


def require_mix(project: Project, scorer: StepScorer | None, rules: Rules) -> None:
    """Raise InvalidFields if a round with this scorer cannot choose by its mix or would have no control arm."""
    mix = rules.mix
    if not mix.asked:
        return
    if rules.control_share < FEWEST_SHARE:
        said = f"Next to other ways of choosing, draw at least {FEWEST_SHARE:.0%} at random:"
        raise InvalidFields(fields={"control_share": [f"{said} nothing else shows what the choice was worth."]})
    if scorer is None and (lost := [one for one in mix.asked if one not in BY_TEXT]):
        said = f"{lost[0].capitalize()} uses a PRM's scores. Choose a PRM, or leave this share at 0."
        raise InvalidFields(fields={"mix": [said]})
    if scorer is not None and mix.unsure and scorer.scale not in ("", SCALE):
        said = f"{scorer.name} gives no probabilities, so no entropy. Choose another PRM, or leave unsure at 0."
        raise InvalidFields(fields={"mix": [said]})
    if mix.disagreement:
        _require_other(project, scorer, mix.other or 0)
    known = Trace.objects.filter(project=project, pk__in=mix.like_traces).count()
    if mix.like and known < len(mix.like_traces):
        said = f"{len(mix.like_traces) - known} of these traces are not in this project. Remove their numbers."
        raise InvalidFields(fields={"mix": [said]})


def _require_other(project: Project, scorer: StepScorer | None, other: int) -> None:
    if scorer is not None and other == scorer.pk:
        raise InvalidFields(fields={"mix": ["Compare the PRM with another one: it always agrees with itself."]})
    if not scorers_of(project).filter(pk=other).exists():
        raise InvalidFields(
            fields={"mix": ["There is no such scorer to compare the PRM with. Choose one from the list."]}
        )
    if not Score.objects.filter(scorer=other, project=project, score__isnull=False).exists():
        said = "The other scorer has scored nothing here yet, so there is nothing to disagree on. Score with it first."
        raise InvalidFields(fields={"mix": [said]})


def advised(project: Project, scorer: StepScorer | None, *, places: int) -> dict[str, Any]:
    """Return the recommended mix for this many places, and why. One or two queries."""
    found = errors_by_chance(project)
    code = "no_prm" if scorer is None else _how_common(found)
    doubt = _doubt(project, scorer)
    control, mix = _recommended(code, doubt)
    rules = {"mode": "global" if mix.asked else "per_problem", "ratio": 0.8, "control_share": control}
    return {"code": code, "text": _why(code, found, doubt), "rules": {**rules, "k": max(1, places), "mix": asdict(mix)}}


def errors_by_chance(project: Project) -> Estimate:
    """Return the share of randomly drawn traces in which people found an error, with its interval over problems.

    Task endings are counted as in the rounds' reports. Rounds filtered by outcome, score or first error are left out.
    """
    with connection.cursor() as cursor:
        about: dict[str, Any] = {"project": project.pk, "chance": list(Task.BY_CHANCE), "telling": list(TELLING)}
        cursor.execute(BY_CHANCE, about)
        rows = np.array(cursor.fetchall(), dtype=np.float64).reshape(-1, 2)
    return share_of_clusters(rows[:, 1], rows[:, 0], n=int(rows[:, 0].sum()))


def _doubt(project: Project, scorer: StepScorer | None) -> Way:
    """Return how a mix can look for doubt: the best of what the scorer reports."""
    if scorer and Score.objects.filter(scorer=scorer, project=project, spread__isnull=False).exists():
        return "wavering"
    return "typical" if scorer and scorer.scale not in ("", SCALE) else "unsure"


def _how_common(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return "not_known"
    if found.high < RARE:
        return "errors_rare"
    return "errors_common" if found.low > COMMON else "not_known"


def _recommended(code: str, doubt: Way) -> tuple[float, Mix]:
    """Return the control arm's share, and the mix."""
    match code:
        case "no_prm":
            return 0.2, Mix(typical=0.5)
        case "errors_rare":
            return 0.1, CONVINCING_ONLY
        case "errors_common":
            return 0.5, _of(doubt, 0.5)
        case _:
            return 0.2, _of(doubt, 0.3)


def _of(way: Way, share: float) -> Mix:
    match way:
        case "wavering":
            return Mix(wavering=share)
        case "typical":
            return Mix(typical=share)
        case "unsure":
            return Mix(unsure=share)


def _drawn(found: Estimate) -> str:
    """Return "12 % of the randomly drawn traces have an error (of 800; 95 %: 10 to 14 %)"; empty without a label."""
    if found.value is None:
        return ""
    ends = (
        "" if found.low is None or found.high is None else f"; 95 %: {100 * found.low:.0f} to {100 * found.high:.0f} %"
    )
    return f"{100 * found.value:.0f} % of the randomly drawn traces have an error (of {found.n:,}{ends})"


def _why(code: str, found: Estimate, doubt: Way) -> str:
    if code == "no_prm":
        return (
            "Without a PRM, nothing is convincing yet. Typical traces of clusters show labelers many kinds of solution"
            f" early. The rest, drawn at random, shows how common errors are. {JUDGED}"
        )
    drawn = _drawn(found)
    if code == "errors_rare":
        return (
            f"{drawn}: errors are rare. In a simulated pool with few errors, convincing wrong answers had"
            " several times as many errors per label as random ones, and saved labels."
        )
    judged = JUDGED if doubt == "unsure" else f"{INSTEAD[doubt]} {JUDGED}"
    if code == "errors_common":
        return (
            f"{drawn}: errors are common. In two such pools, no way of choosing was measurably better than chance in"
            " step AUC, but unsure steps were in first-error accuracy. A large random arm keeps the threshold"
            f" honest. {judged}"
        )
    said = f"{drawn}: not clearly rare, nor clearly common" if drawn else "No random trace is labeled yet"
    return (
        f"{said}. In measurements, convincing wrong answers found more errors per label, and unsure steps helped"
        f" first-error accuracy. Hence some of both, and a random arm to decide the next round by. {judged}"
    )
