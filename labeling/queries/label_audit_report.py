"""What a label audit found: how many labels the blind reviewers corrected in each arm, and which."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from django.db.models import QuerySet

from labeling.models import Label, LabelAudit, LabelAuditItem, Rating, StepLabel, User
from labeling.protocol.verdicts import NO_ERROR
from labeling.queries.held_labels import is_held_by
from labeling.queries.label_audits import STANDS
from labeling.statistics.intervals import difference, share

ARMS: tuple[str, ...] = (LabelAuditItem.Arm.MODEL.value, LabelAuditItem.Arm.CONTROL.value)
BAD_PROBLEM = "bad_problem"
RUN_STEPS = "label__task__trace__typed_steps"  # an agent's run may have 50 MB of them, and no report shows them
# How a reviewer's first error differs from the label's.
MOVES = ("missed", "earlier", "later", "invented", "bad_problem")


class Review(NamedTuple):
    """A label and its blind reviewer's view. Verdicts are as in labeling.protocol.verdicts; ratings are by step."""

    item: LabelAuditItem
    before: int | None
    after: int | None
    ratings: Sequence[int | None]

    @property
    def corrected(self) -> bool:
        """Whether the two differ about the first error; a bad problem differs from every label."""
        return self.move is not None

    @property
    def move(self) -> str | None:
        """One of MOVES; None if the label is confirmed."""
        if self.item.finish_reason == BAD_PROBLEM:
            return "bad_problem"
        if self.before == self.after or self.before is None or self.after is None:
            return None
        if self.before == NO_ERROR:
            return "missed"
        if self.after == NO_ERROR:
            return "invented"
        return "earlier" if self.after < self.before else "later"


def reviewed_items(label_audit: LabelAudit) -> QuerySet[LabelAuditItem]:
    """Return the items that count: reviewed, with labels that have not changed since."""
    found = LabelAuditItem.objects.filter(STANDS, label_audit=label_audit, reviewed_at__isnull=False)
    related = ("label__labeler", "label__task__round__project", "label__task__trace__problem", "reviewer")
    return found.select_related(*related).defer(RUN_STEPS).order_by("position")


def reviews_of(items: Iterable[LabelAuditItem]) -> list[Review]:
    """Return each item with its label's own ratings. One query in addition to that of the items."""
    items = list(items)
    rows = StepLabel.objects.filter(label__in=[item.label_id for item in items], completion=None)
    given: dict[int, dict[int, int | None]] = {}
    for label, step, rating in rows.values_list("label", "step_index", "rating"):
        given.setdefault(label, {})[step] = rating
    return [_review(item, given.get(item.label_id, {})) for item in items]


def report_of(label_audit: LabelAudit, reviews: Sequence[Review]) -> dict[str, Any]:
    """Return the figures of a label audit, to be frozen at its end. `counted` lists the items they rest on."""
    arms = [_arm(label_audit, arm, [one for one in reviews if one.item.arm == arm]) for arm in ARMS]
    shares = [share(arm["corrected"]["part"], arm["reviewed"]) for arm in arms]
    counted = [one.item.pk for one in reviews]
    return {
        "arms": arms,
        "difference": asdict(difference(shares[0], shares[1])),
        "counted": counted,
        "rulings": 0,
        "withdrawn": 0,
    }


def items_for(label_audit: LabelAudit, reader: User) -> QuerySet[LabelAuditItem]:
    """Return the items of a label audit that is over, without traces the reader is labeling: the list would reveal
    whose task it is, and what others say of it.
    """
    items = LabelAuditItem.objects.filter(label_audit=label_audit)
    return items.exclude(is_held_by(reader, trace="label__task__trace"))


def corrected_labels(label_audit: LabelAudit, reader: User) -> list[Review]:
    """Return the labels their reviewers did not confirm, as the label audit left them, most surprising first."""
    items = items_for(label_audit, reader).filter(reviewed_at__isnull=False)
    related = ("label__labeler", "label__task__trace__problem", "reviewer", "ruling")
    found = reviews_of(items.select_related(*related).defer(RUN_STEPS).order_by("-surprisal", "position"))
    counted = set(label_audit.report["counted"])
    return [one for one in found if one.corrected and one.item.pk in counted]


def table(label_audit: LabelAudit, reader: User) -> list[list[Any]]:
    """Return every item of a label audit that is over, one row each, header first."""
    items = items_for(label_audit, reader).order_by("arm", "position")
    related = ("label__labeler", "label__task__round", "label__task__trace__problem", "reviewer")
    counted = set(label_audit.report["counted"])
    head = ["arm", "label", "task", "trace", "problem", "round", "labeler", "surprisal_nats", "least_likely_step"]
    head += ["counted", "first_error_before", "first_error_after", "corrected", "move"]
    head += ["reviewer", "reviewed_at", "ruling", "note"]
    return [
        head,
        *(_line(one, one.item.pk in counted) for one in reviews_of(items.select_related(*related).defer(RUN_STEPS))),
    ]


def _line(review: Review, counted: bool) -> list[Any]:
    item, task = review.item, review.item.label.task
    seen = item.reviewed_at is not None
    return [
        item.arm,
        item.label_id,
        task.pk,
        task.trace_id,
        task.trace.problem.external_id,
        task.round.number,
        item.label.labeler.shown_name,
        round(item.surprisal, 4),
        item.least_likely_step,
        counted,
        review.before,
        review.after if seen else None,
        review.corrected if seen else None,
        review.move if seen else None,
        item.reviewer.shown_name if item.reviewer else None,
        item.reviewed_at.isoformat() if item.reviewed_at else None,
        item.ruling_id,
        item.note,
    ]


def _review(item: LabelAuditItem, given: dict[int, int | None]) -> Review:
    ratings = [given.get(step) for step in range(1 + max(given, default=-1))]
    return Review(item, item.label.verdict, item.verdict, ratings)


def _arm(label_audit: LabelAudit, arm: str, reviews: Sequence[Review]) -> dict[str, Any]:
    said = {
        "error": [one for one in reviews if one.item.label.finish_reason == Label.FinishReason.FOUND_ERROR],
        "no_error": [one for one in reviews if one.item.label.finish_reason == Label.FinishReason.SOLUTION],
    }
    moves = Counter(one.move for one in reviews)
    return {
        "arm": arm,
        "items": LabelAuditItem.objects.filter(label_audit=label_audit, arm=arm).count(),
        "reviewed": len(reviews),
        "corrected": _corrected(reviews),
        "said_error": _corrected(said["error"]),
        "said_no_error": _corrected(said["no_error"]),
        "moves": {move: moves[move] for move in MOVES},
        "steps": _steps(reviews),
    }


def _corrected(reviews: Sequence[Review]) -> dict[str, Any]:
    """Return the share that was corrected, with Wilson's 95 % interval."""
    part = sum(one.corrected for one in reviews)
    found = share(part, len(reviews))
    return {"part": part, "n": found.n, "low": found.low, "high": found.high}


def _steps(reviews: Sequence[Review]) -> list[dict[str, int]]:
    """Return, by the label's rating, how many steps both rated, and how many of them the reviewer rated differently.

    There is no interval, because steps of one trace are alike.
    """
    pairs = [
        (before, after)
        for one in reviews
        for before, after in zip(one.ratings, one.item.ratings or [], strict=False)
        if before is not None and after is not None
    ]
    changed, both = Counter(one for one, other in pairs if one != other), Counter(one for one, _ in pairs)
    ratings = (Rating.NEGATIVE.value, Rating.NEUTRAL.value, Rating.POSITIVE.value)
    return [{"rating": rating, "n": both[rating], "changed": changed[rating]} for rating in ratings]
