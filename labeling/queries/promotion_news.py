"""Arguments against making a PRM the selector, worst first: what its evaluations found, alone and compared with the
selector's, and that it is unknown what it learned from.
"""

from collections.abc import Iterator
from typing import Any

from labeling.models import Evaluation, Project, StepScorer
from labeling.queries.evaluation_report import differences
from labeling.queries.evaluations import baseline_not_beaten, evaluations_of
from labeling.queries.step_scorers import knows_origin
from labeling.queries.training import selector_of

# In the order in which they are shown.
NEVER_WRONG, WORSE, BASELINE, ORIGIN_UNKNOWN, NOT_EVALUATED, NOT_COMPARED = (
    "never_wrong",
    "worse",
    "baseline_not_beaten",
    "origin_unknown",
    "not_evaluated",
    "not_compared",
)
KINDS = (NEVER_WRONG, WORSE, BASELINE, ORIGIN_UNKNOWN, NOT_EVALUATED, NOT_COMPARED)
MOST_COMPARED = 3  # sets, newest evaluations first: each takes about a second


def promotion_news(project: Project, prm: StepScorer) -> list[dict[str, Any]]:
    """Return the arguments, each with a `kind` of KINDS; `left` and `right` are evaluations to show side by side."""
    origin = [] if knows_origin(prm) else [{"kind": ORIGIN_UNKNOWN}]
    return sorted(origin + _of_evaluations(project, prm), key=lambda one: KINDS.index(one["kind"]))


def selector_news(project: Project) -> dict[str, Any]:
    """Return the selector, since when, where it does not beat its baseline, and how it compares with the one before it.

    The comparison uses the newest set that both were measured on: each figure's difference with its interval. `why`
    says whether there is one, or why not.
    """
    promotion = selector_of(project)
    if promotion is None or promotion.scorer is None:
        return {"why": "none"}
    news = {
        "selector": promotion.scorer,
        "since": promotion.at,
        "before": promotion.before,
        "baseline_not_beaten": baseline_not_beaten(project).get(promotion.scorer.pk, []),
    }
    if promotion.before is None or promotion.before_id == promotion.scorer_id:
        return {**news, "why": "first"}
    pairs = _pairs(_newest_by_set(project, promotion.scorer), _newest_by_set(project, promotion.before))
    if not pairs:
        return {**news, "why": "not_compared"}
    one, other = pairs[0]
    return {**news, "why": "compared", "left": one, "right": other, "differences": differences(one, other)}


def _of_evaluations(project: Project, prm: StepScorer) -> list[dict[str, Any]]:
    own = _newest_by_set(project, prm)
    if not own:
        return [{"kind": NOT_EVALUATED}]
    news = [found for one in own for found in _of_one(one)]
    promotion = selector_of(project)
    selector = promotion.scorer if promotion else None
    if selector is not None and selector.pk != prm.pk:
        news += _beside(own, _newest_by_set(project, selector))
    return news


def _newest_by_set(project: Project, prm: StepScorer) -> list[Evaluation]:
    """Return its newest finished evaluation on each set, newest first."""
    found = evaluations_of(project, prm=prm.pk).filter(status=Evaluation.Status.SUCCEEDED).order_by("-pk")
    return list({one.set_hash: one for one in reversed(list(found))}.values())[::-1]


def _of_one(one: Evaluation) -> Iterator[dict[str, Any]]:
    if one.report.get("said_wrong") == 0:
        yield {"kind": NEVER_WRONG, "left": one}
    if one.report.get("beats_baseline") is False:
        yield {"kind": BASELINE, "left": one}


def _beside(own: list[Evaluation], of_selector: list[Evaluation]) -> list[dict[str, Any]]:
    """Return where the selector is ahead, on the sets that both were measured on."""
    compared = _pairs(own, of_selector)[:MOST_COMPARED]
    if not compared:
        return [{"kind": NOT_COMPARED}]
    return [found for one, other in compared if (found := _worse(one, other))]


def _pairs(own: list[Evaluation], others: list[Evaluation]) -> list[tuple[Evaluation, Evaluation]]:
    """Pair the evaluations that are on the same set and graded alike."""
    alike = {(one.set_hash, tuple(one.grader_versions)): one for one in others}
    pairs = [(one, alike.get((one.set_hash, tuple(one.grader_versions)))) for one in own]
    return [(one, other) for one, other in pairs if other is not None]


def _worse(one: Evaluation, other: Evaluation) -> dict[str, Any] | None:
    figures = differences(one, other)
    names = {side: [figure["name"] for figure in figures if figure["ahead"] == side] for side in ("left", "right")}
    if not names["right"]:
        return None
    return {"kind": WORSE, "left": one, "right": other, "worse": names["right"], "better": names["left"]}
