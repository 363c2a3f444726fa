"""What a round of paths has given: how steps came about, and how far labelers agree about the same completions."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from labeling.models import Label, PathStep, Round
from labeling.protocol.path import merged
from labeling.queries.paths import great_of, said_of
from labeling.statistics.agreement import agreement
from labeling.statistics.label_pairs import Labeled


def path_report(round_: Round) -> dict[str, Any]:
    """Figures of the round's submitted labels. Two queries."""
    about = {"label__task__round": round_, "label__status": Label.Status.SUBMITTED}
    steps = list(
        PathStep.objects.filter(**about).exclude(submitted_at=None).select_related("offer", "label").order_by("pk")
    )
    taken = [step for step in steps if step.discarded_at is None]
    finished = Label.objects.filter(task__round=round_, status=Label.Status.SUBMITTED)
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
        "equal_completions": sum(step.shown - len(merged(step.offer.texts[: step.shown])) for step in taken),
        "alpha": agreement(_labeled(taken)).alpha.__dict__,
    }


def _labeled(steps: Iterable[PathStep]) -> list[Labeled]:
    """Of each problem what each labeler said of every completion that anybody was shown. Problems are what intervals
    rest on: the steps of one path are no independent ones."""
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
