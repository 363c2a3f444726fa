"""What a staged round could choose from, counted while someone fills in the form.

A small project is counted completely. In a large one, a fixed random sample of problems is counted and scaled up, so
that an answer takes a fraction of a second whatever the project's size; the answer says that it is approximate.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection

from labeling.configs import StagedConfig
from labeling.count_words import count_of
from labeling.models import Project, StepScorer
from labeling.queries.mix_reach import Reach, short_ways
from labeling.queries.mixes import advised
from labeling.queries.scored_pool import Pool
from labeling.queries.step_scorers import knows_origin
from labeling.selection import Rules, Way, control_size, control_start, left_empty, wrong_quota

WHOLE = 60_000  # traces; up to this many, everything is counted
PROBE = 100  # problems from which the number of traces per problem is estimated
MOST_OF_ONE = 5_000  # traces counted per problem in the probe
FEWEST_PROBLEMS = 30
LARGEST_K = 4  # a form's initial K is at most this
FEW_EMPTY = 0.1  # of the quota may stay empty without a warning: a few problems without wrong answers leave that much
FIFTH = 5  # choosing more than one in this many samples no longer picks just the convincing ones

AT_MOST = "SELECT count(*) FROM (SELECT FROM labeling_trace WHERE project_id = %s LIMIT %s) AS few"
TRACES_OF = """
    SELECT coalesce(sum(found.number), 0) FROM unnest(%s::bigint[]) AS problem (id) CROSS JOIN LATERAL (
        SELECT count(*) AS number FROM (
            SELECT FROM labeling_trace WHERE problem_id = problem.id LIMIT %s) AS few
    ) AS found
"""
# Problem by problem: a join would read all scores of a PRM for the few thousand traces of the sample.
COUNT = """
    SELECT problem.id, found.traces, found.correct, found.wrong, {scored_column}, found.queued,
        found.wrong_left, found.correct_left
    FROM unnest(%(problems)s::bigint[]) AS problem (id) CROSS JOIN LATERAL (
        SELECT count(*) AS traces, count(*) FILTER (WHERE trace.outcome = 'correct') AS correct,
            count(*) FILTER (WHERE trace.outcome = 'wrong') AS wrong, count(*) FILTER (WHERE queued.yes) AS queued,
            count(*) FILTER (WHERE trace.outcome = 'wrong' AND free.yes) AS wrong_left,
            count(*) FILTER (WHERE trace.outcome = 'correct' AND free.yes) AS correct_left {scores}
        FROM labeling_trace AS trace
        LEFT JOIN LATERAL (
            SELECT TRUE AS yes FROM labeling_task AS task
            WHERE task.trace_id = trace.id AND task.round_id = ANY(%(rounds)s) LIMIT 1
        ) AS queued ON TRUE
        LEFT JOIN labeling_gold AS gold ON gold.trace_id = trace.id AND gold.status = 'active'
        CROSS JOIN LATERAL (
            SELECT queued.yes IS NULL AND gold.id IS NULL AND trace.id <> ALL(%(learned)s::bigint[]) {choosable} AS yes
        ) AS free
        WHERE trace.problem_id = problem.id AND trace.id <= %(last)s {fitting}
    ) AS found
    WHERE found.traces > 0
"""
# Workers score what has no score yet; scores made elsewhere stay as they were imported.
ONLY_SCORED = """
    AND EXISTS (SELECT FROM labeling_score AS score WHERE score.scorer_id = %(scorer)s AND score.trace_id = trace.id
        AND score.score IS NOT NULL)
"""
# Without a filter on traces, this reads only indexes.
SCORED_OF_PROBLEM = """(
    SELECT count(*) FROM labeling_score AS score
    WHERE score.scorer_id = %(scorer)s AND score.problem_id = problem.id AND score.score IS NOT NULL
        AND score.trace_id <= %(last)s)
"""
SCORES_OF_TRACES = """
    , count((
        SELECT score FROM labeling_score AS score WHERE score.scorer_id = %(scorer)s AND score.trace_id = trace.id
    )) AS scored
"""

# The control arm as it will be drawn: along the circle of draws, starting where the seed says
# (`selection.control_start`).
DRAWN = """
    SELECT problem_id, outcome FROM (
        SELECT trace.id, trace.problem_id, trace.outcome,
            ('x' || encode(substr(trace.trace_hash, 1, 8), 'hex'))::bit(64)::bigint AS draw
        FROM labeling_trace AS trace WHERE {unscored} AND trace.problem_id <> ALL(%(barred)s::bigint[]) {choosable}
    ) AS candidate
    ORDER BY draw < %(start)s, draw, id LIMIT %(wanted)s
"""
Left = list[tuple[float, float]]  # per problem, the wrong and the right candidates that the control arm leaves


class ProblemCounts(NamedTuple):
    """A problem's traces in the pool. The last two count those that are graded, on no queue and not gold."""

    problem: int
    traces: int
    correct: int
    wrong: int
    scored: int
    queued: int
    wrong_candidates: int
    correct_candidates: int


WAYS = {"wavering": "a wavering model", "disagreement": "scorers that disagree"}


def count_pool(
    project: Project, config: StagedConfig, *, seed: int, scorer: StepScorer | None, pool: Pool | None = None
) -> dict[str, Any]:
    """Return counts of the pool, what such a round would select, and warnings.

    `pool` is that of a round that chooses again, used instead of what `config` describes.

    `expected` assumes that all graded traces get scored, unless scores are made elsewhere, and ignores near duplicates.
    Otherwise it is exact if everything is counted; in a sample, the control arm takes the same share of each problem.
    """
    pool = pool or Pool(project, scorer.pk if scorer else None, config.filter)
    rules = config.rules(seed)
    choosable = ONLY_SCORED if scorer is not None and not scorer.is_run_here else ""
    counted, scale = _counted(pool, choosable)
    total = ProblemCounts(*(round(scale * sum(one[column] for one in counted)) for column in COLUMNS))
    shown = {
        "problems": round(scale * len(counted)),
        "traces": total.traces,
        "correct": total.correct,
        "wrong": total.wrong,
        "ungraded": max(0, total.traces - total.correct - total.wrong),
        "scored": total.scored,
        "unscored": max(0, total.traces - total.scored),
        "queued": total.queued,
        "approximate": scale > 1,
    }
    short = short_ways(pool, rules, scorer)
    expected = _expected(pool, counted, scale, rules, choosable, short)
    places = rules.quota * (shown["problems"] if rules.mode == "per_problem" else 1)
    return {
        **shown,
        "expected": expected,
        "fitting_k": fitting_k(counted, rules.ratio),
        "warnings": list(_warnings(shown, expected, config, rules, scorer, places, short)),
        "advice": advised(project, scorer, places=places),
    }


def fitting_k(counted: Sequence[ProblemCounts], ratio: float) -> int:
    """Return the K per problem that a form begins with: the largest, up to four, that most problems with candidates can
    fill and that is small compared with their traces; one if there is no such K.
    """
    usable = [one for one in counted if one.wrong_candidates + one.correct_candidates]
    traces = sum(one.traces for one in usable)
    for k in range(LARGEST_K, 1, -1):
        wrong = wrong_quota(ratio, k)
        full = sum(
            one.wrong_candidates >= wrong and one.wrong_candidates + one.correct_candidates >= k for one in usable
        )
        if k * FIFTH * len(usable) <= traces and 2 * full > len(usable):
            return k
    return 1


COLUMNS = range(len(ProblemCounts._fields))


def _counted(pool: Pool, choosable: str) -> tuple[list[ProblemCounts], float]:
    """Return the problems that have traces in the pool, or a sample of them, and how many problems each stands for."""
    problems = pool.problems
    sample: Sequence[int] = problems
    with connection.cursor() as cursor:
        cursor.execute(AT_MOST, [pool.project.pk, WHOLE + 1])
        if cursor.fetchone()[0] > WHOLE and problems:
            shuffled = random.Random(0).sample(problems, len(problems))  # always alike: numbers do not flicker
            probe = shuffled[:PROBE]
            cursor.execute(TRACES_OF, [probe, MOST_OF_ONE])
            traces_each = max(1.0, cursor.fetchone()[0] / len(probe))
            sample = shuffled[: max(FEWEST_PROBLEMS, round(WHOLE / traces_each))]
    rows = pool.sql.rows(COUNT, {**_counted_pieces(pool), "choosable": choosable}, problems=list(sample))
    return [ProblemCounts(*row) for row in rows], len(problems) / len(sample) if sample else 1.0


def _counted_pieces(pool: Pool) -> dict[str, str]:
    fitting = pool.sql.fitting("trace.id")
    column, joined = ("found.scored", SCORES_OF_TRACES) if fitting else (SCORED_OF_PROBLEM, "")
    return {"fitting": fitting, "scored_column": column, "scores": joined}


def _expected(
    pool: Pool,
    counted: Sequence[ProblemCounts],
    scale: float,
    rules: Rules,
    choosable: str,
    short: Mapping[Way, Reach],
) -> dict[str, Any]:
    """Return how many would be selected, of which kind, and how much of the quota would stay empty."""
    at_random = pool.scorer_id is None
    usable = [one for one in counted if one.wrong_candidates + one.correct_candidates]
    candidates = scale * sum(one.wrong_candidates + one.correct_candidates for one in usable)
    problems = round(scale * len(usable))
    by_chance_alone = at_random and not rules.mix.asked
    control = 0 if by_chance_alone else min(control_size(rules, problems), round(candidates))
    of_each = (
        _left(pool, usable, control, rules.seed, choosable) if scale == 1 else _left_of(usable, control, candidates)
    )
    mixed = _mixed(rules, round(candidates) - control, short)
    for_wrong = 0 if at_random else wrong_quota(rules.ratio, rules.convincing)
    if rules.mode == "per_problem":
        quota = rules.quota * problems
        wrong = scale * sum(min(wrong, for_wrong) for wrong, _ in of_each)
        others = [wrong + correct - min(wrong, for_wrong) for wrong, correct in of_each]
        rest = scale * sum(min(other, rules.quota - for_wrong) for other in others)
    else:
        quota, cap = rules.quota, rules.per_problem_cap or math.inf
        fitting = scale * sum(min(wrong + correct, cap) for wrong, correct in of_each) - sum(mixed.values())
        wrong = min(for_wrong, scale * sum(min(wrong, cap) for wrong, _ in of_each), max(0, fitting))
        rest = min(rules.convincing - for_wrong, max(0, fitting - wrong))
    return _within_budget(round(wrong), round(rest), control, mixed, quota, rules, at_random)


def _mixed(rules: Rules, candidates: int, short: Mapping[Way, Reach]) -> dict[Way, int]:
    """Return what the other ways would choose, limited by the candidates and by what `short` ways know."""
    found: dict[Way, int] = {}
    for way, quota in rules.mix.quotas(rules.quota).items():
        reach = short[way].traces if way in short else quota
        found[way] = min(quota, reach, max(0, candidates - sum(found.values())))
    return found


def _left(pool: Pool, usable: Sequence[ProblemCounts], control: int, seed: int, choosable: str) -> Left:
    about = {"start": control_start(seed), "wanted": control, "barred": pool.barred}
    drawn = Counter(pool.sql.rows(DRAWN, {"choosable": choosable}, **about) if control else ())
    return [
        (one.wrong_candidates - drawn[one.problem, "wrong"], one.correct_candidates - drawn[one.problem, "correct"])
        for one in usable
    ]


def _left_of(sample: Sequence[ProblemCounts], control: int, candidates: float) -> Left:
    left = 1 - control / candidates if candidates else 0.0
    return [(left * one.wrong_candidates, left * one.correct_candidates) for one in sample]


def _within_budget(
    wrong: int, rest: int, control: int, mixed: dict[Way, int], quota: int, rules: Rules, at_random: bool
) -> dict[str, Any]:
    short = max(0, quota - wrong - rest - sum(mixed.values()))
    left = math.inf if rules.budget is None else rules.budget
    arms: list[int] = []
    for wanted in (control, *mixed.values(), wrong, rest):  # the budget cuts in the order of choice
        arms.append(int(min(wanted, left)))
        left -= arms[-1]
    control, *ways, wrong, rest = arms
    by_outcome = {"wrong": 0, "rest": 0} if at_random else {"wrong": wrong, "rest": rest}
    return {
        "selected": sum(arms),
        **by_outcome,
        "control": control,
        "mixed": dict(zip(mixed, ways, strict=True)),
        "shortfall": left_empty(short, rules, sum(arms)),
    }


def _warnings(
    shown: dict[str, Any],
    expected: dict[str, Any],
    config: StagedConfig,
    rules: Rules,
    scorer: StepScorer | None,
    places: int,
    short: Mapping[Way, Reach],
) -> list[dict[str, str]]:
    """Yield what a researcher should know before starting; each says what to do."""
    found: dict[str, str] = {}
    generates = config.generate is not None
    if generates:
        found["generates"] = "These counts include only existing traces. Generated traces are added to them."
    elif not shown["traces"]:
        found["empty"] = "No trace fits. Widen the filter, or import or generate traces first."
    elif shown["queued"] >= shown["traces"]:
        found["all_queued"] = "Every trace that fits was queued by an earlier round. Widen the filter, or add traces."
    if scorer is None:
        found["no_prm"] = (
            "Without a PRM, the traces are drawn at random. Choose one to find the convincing wrong answers."
        )
    elif scorer.status != StepScorer.Status.READY:
        found["prm_not_ready"] = "This PRM cannot score yet. Start a GPU worker to check it, or choose another one."
    elif not knows_origin(scorer):
        found["origin_unknown"] = (
            "It is unknown what this PRM learned from. Traces that it learned from cannot be left out, and its scores "
            "of them mean little."
        )
    if scorer is not None and not scorer.is_run_here and shown["unscored"]:
        one = shown["unscored"]
        found["scored_elsewhere"] = (
            f"{count_of(one, 'trace')} {'has' if one == 1 else 'have'} no score by {scorer.name}, whose scores were "
            f"made elsewhere, and {'is' if one == 1 else 'are'} left out. Import the missing scores first, or continue."
        )
    if shown["ungraded"] and not config.grade:
        lacks = "has no outcome and is" if shown["ungraded"] == 1 else "have no outcome and are"
        found["ungraded"] = f"{count_of(shown['ungraded'], 'trace')} {lacks} left out. Let the round grade first."
    lost = 0
    for way, reach in short.items() if shown["traces"] else ():
        lost += rules.mix.quotas(rules.quota)[way] - expected["mixed"][way]
        found[f"no_{way}"] = f"{reach.why} Set the share of {WAYS[way]} to 0, or choose another scorer."
    if expected["shortfall"] - lost > FEW_EMPTY * places and shown["traces"] and not generates:
        found["shortfall"] = (
            f"{expected['shortfall'] - lost:,} of the quota would stay empty: there are not enough wrong answers. "
            "Lower K or the share of wrong answers."
        )
    each = shown["traces"] / shown["problems"] if shown["problems"] else 0
    of_few = rules.quota > 1 and rules.quota * FIFTH > each > 0  # K = 1 cannot be lowered
    if rules.mode == "per_problem" and scorer and not generates and of_few:
        found["many_of_few"] = (
            f"K is {rules.quota} of about {each:.0f} traces per problem. The choice is convincing only if K is much "
            "smaller. Lower K, or add traces."
        )
    return [{"code": code, "text": text} for code, text in found.items()]
