"""The report of a round of paths: where steps came from, and how far labelers agree about the same completions."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q, QuerySet

from labeling.models import Gold, GoldResult, Label, PathStep, Rating, Round, Task, Trace
from labeling.queries.home import share_by
from labeling.queries.paths import great_of, said_of
from labeling.queries.round_figures import GOLD
from labeling.statistics.agreement import agreement
from labeling.statistics.label_pairs import Labeled


def path_report(round_: Round) -> dict[str, Any]:
    """Return the figures of the round's submitted labels. At most six queries."""
    about: dict[str, Any] = {"label__task__round": round_, "label__status": Label.Status.SUBMITTED}
    about["label__task__kind"] = Task.Kind.WORK
    steps = list(
        PathStep.objects.filter(**about).exclude(submitted_at=None).select_related("offer", "label").order_by("pk")
    )
    taken = [step for step in steps if step.discarded_at is None]
    finished = Label.objects.filter(task__round=round_, status=Label.Status.SUBMITTED, task__kind=Task.Kind.WORK)
    reasons = Counter(finished.values_list("finish_reason", flat=True))
    return {
        "labels": sum(reasons.values()),
        "finish_reasons": dict(reasons),
        "steps": len(taken),
        "offered_alone": sum(not step.rest and step.chosen is not None for step in taken),
        "drawn_of_several": sum(great_of(step) > 1 for step in taken),
        "written": sum(step.written is not None for step in taken),
        "taken_back": len(steps) - len(taken),
        "completions_rated": sum(len(step.said) for step in taken),
        "ratings": _ratings(taken),
        "alpha": agreement(_labeled(taken)).alpha.__dict__,
        "gold": _gold(round_),
        "answers": _answers(round_),
        "outcomes": _outcomes(finished),
    }


def _ratings(taken: Iterable[PathStep]) -> dict[str, int]:
    """Count the ratings of the completions of these steps. Completions that were only flagged have none."""
    counted = Counter(one.rating for step in taken for one in said_of(step).values())
    return {str(rating): counted[rating] for rating in Rating.values}


def _outcomes(finished: QuerySet[Label]) -> dict[str, int]:
    """Count how the answers of finished paths were graded: correct, wrong, ungraded. Paths without one are left out."""
    ended = finished.exclude(task__trace__final_answer=None)
    counted = ended.values_list("task__trace__outcome").annotate(count=Count("pk")).order_by()
    return dict.fromkeys(Trace.Outcome.values, 0) | dict(counted)


def _answers(round_: Round) -> dict[str, int]:
    """Count the round's problems, and on how many the answers agree, if the round asks for agreement."""
    if round_.answers_wanted is None:
        return {"agreed": 0, "asking": 0, "no_consensus": 0}
    tasks = Task.objects.filter(round=round_, kind=Task.Kind.WORK)
    settled = Q(settlement__in=[Task.Settlement.AGREED, Task.Settlement.RULED])
    found = tasks.aggregate(
        problems=Count("trace__problem", distinct=True),
        agreed=Count("trace__problem", distinct=True, filter=settled),
        no_consensus=Count("trace__problem", distinct=True, filter=Q(settlement=Task.Settlement.NO_CONSENSUS)),
    )
    return {"asking": found.pop("problems") - found["agreed"] - found["no_consensus"], **found}


def _gold(round_: Round) -> dict[str, Any]:
    """Return how finished paths along gold fared. Some paths leave gold before anything can be judged."""
    about = {"label__task__round": round_, "label__status": Label.Status.SUBMITTED, "gold__status": Gold.Status.ACTIVE}
    told = GoldResult.objects.filter(**about).count()
    paths = Label.objects.filter(task__round=round_, task__kind=Task.Kind.GOLD, status=Label.Status.SUBMITTED).count()
    passed = share_by(GOLD, project=round_.project_id, round=round_.pk)
    return {"paths": paths, "told": told, "passed": passed.__dict__}


def _labeled(steps: Iterable[PathStep]) -> list[Labeled]:
    """Return, for each problem, what each labeler said about every completion anyone was shown. Intervals are over
    problems because the steps of one path are not independent.
    """
    said: dict[int, dict[int, dict[tuple[int, int], int | None]]] = {}
    for step in steps:
        of_labeler = said.setdefault(step.offer.problem_id, {}).setdefault(step.label.labeler_id, {})
        of_labeler |= {(step.offer_id, number): one.rating for number, one in said_of(step).items()}
    found = []
    for problem, by_labeler in said.items():
        places = sorted({place for ratings in by_labeler.values() for place in ratings})
        for labeler, ratings in by_labeler.items():
            found.append(Labeled(problem, labeler, [ratings.get(place) for place in places], "solution", None))
    return found
