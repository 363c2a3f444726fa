"""Shapes of label audit. While a label audit is open nothing here tells its arms, its labels or their surprisal."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.reviews import SettleTaskIn
from labeling.api.serializers.rounds import MAX_SEED, PrmRef
from labeling.configs import LabelAuditConfig
from labeling.models import LabelAudit, LabelAuditItem, User
from labeling.queries.label_audit_report import ARMS, MOVES, Review, corrected_labels
from labeling.queries.label_audits import progress_of

LARGEST_ID = 2**63 - 1


class LabelAuditQuestionIn(serializers.Serializer):
    prm = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    round = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, allow_null=True, default=None)


class CreateLabelAuditIn(LabelAuditQuestionIn):
    labels = serializers.IntegerField(min_value=2, max_value=500)
    control_share = serializers.FloatField(min_value=0.05, max_value=0.9, default=0.3)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Validated: `prm`, `seed`, and the rest as `config`."""
        asked = {name: attrs.pop(name) for name in ("labels", "control_share", "round")}
        return attrs | {"config": LabelAuditConfig(**asked)}


class LabelAuditCounts(serializers.Serializer):
    """What a label audit could choose from. `candidates`: the labels that are left after the others."""

    labels = serializers.IntegerField(help_text="That stand, speak of steps, and nobody has settled.")
    unscored = serializers.IntegerField(help_text="On traces without a score by the PRM.")
    learned = serializers.IntegerField(help_text="On traces that the PRM was trained on.")
    reviewed = serializers.IntegerField(help_text="In a label audit already.")
    candidates = serializers.IntegerField()


class LabelAuditProgress(serializers.Serializer):
    items = serializers.IntegerField()
    reviewed = serializers.IntegerField()
    void = serializers.IntegerField(help_text="Changed or withdrawn since; nobody need review them.")
    yours = serializers.IntegerField(help_text="That the person who asks could review now.")


class LabelAuditSummary(serializers.Serializer):
    id = serializers.IntegerField()
    prm = PrmRef()
    status = serializers.ChoiceField(LabelAudit.Status.values)
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    progress = LabelAuditProgress()


class CorrectedShare(serializers.Serializer):
    """`part` of `n` with Wilson's 95 % interval; null where nothing was reviewed."""

    part = serializers.IntegerField()
    n = serializers.IntegerField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class ChangedSteps(serializers.Serializer):
    """Of the steps that both rated and the label rated so, those that the reviewer rates otherwise."""

    rating = serializers.IntegerField()
    n = serializers.IntegerField()
    changed = serializers.IntegerField()


class LabelAuditArm(serializers.Serializer):
    arm = serializers.ChoiceField(ARMS)
    items = serializers.IntegerField()
    reviewed = serializers.IntegerField()
    corrected = CorrectedShare()
    said_error = CorrectedShare(help_text="Of labels with a first error.")
    said_no_error = CorrectedShare(help_text="Of labels without.")
    moves = serializers.DictField(child=serializers.IntegerField(), help_text=f"By kind: {', '.join(MOVES)}.")
    steps = ChangedSteps(many=True)


class ArmDifference(serializers.Serializer):
    """The model's corrected share less the control's, with Newcombe's 95 % interval."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class CorrectedLabel(serializers.Serializer):
    """A label that its reviewer does not confirm. Verdicts: a step from 0, -1 = no error, null = a bad problem."""

    label_id = serializers.IntegerField()
    task_id = serializers.IntegerField()
    arm = serializers.ChoiceField(ARMS)
    labeler = PersonRef()
    problem_text = serializers.CharField()
    surprisal = serializers.FloatField(help_text="In nats.")
    least_likely_step = serializers.IntegerField()
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)
    move = serializers.ChoiceField(MOVES)
    reviewer = PersonRef()
    ruled = serializers.BooleanField(help_text="The review became the ruling on the task.")
    note = serializers.CharField()


class LabelAuditReport(serializers.Serializer):
    arms = LabelAuditArm(many=True)
    difference = ArmDifference()
    rulings = serializers.IntegerField()
    withdrawn = serializers.IntegerField(help_text="Of the rulings, when the label audit was undone.")
    corrected = CorrectedLabel(many=True)


class LabelAuditOut(LabelAuditSummary):
    seed = serializers.IntegerField()
    labels = serializers.IntegerField(help_text="As asked.")
    control_share = serializers.FloatField()
    round = serializers.IntegerField(allow_null=True)
    counts = LabelAuditCounts()
    ended_by = PersonRef(allow_null=True)
    undone_by = PersonRef(allow_null=True)
    undone_at = serializers.DateTimeField(allow_null=True)
    report = LabelAuditReport(allow_null=True, help_text="Once it is over.")


class BlindProblem(serializers.Serializer):
    text = serializers.CharField()
    answer = serializers.CharField(allow_null=True)
    reference_solution = serializers.CharField(allow_null=True)


class BlindItem(serializers.Serializer):
    """A trace to review, and nothing of the label it is about."""

    id = serializers.IntegerField()
    position = serializers.IntegerField()
    problem = BlindProblem()
    steps = serializers.ListField(child=serializers.CharField())
    final_answer = serializers.CharField(allow_null=True)
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    protocol = serializers.CharField(help_text="How the round's traces are labeled, and a review is made.")
    review = SettleTaskIn(allow_null=True, help_text="What the person who asks said before.")


class HoldNextIn(serializers.Serializer):
    after = serializers.IntegerField(
        min_value=0, max_value=10_000, allow_null=True, default=None, help_text="Put this place off, and give the next."
    )


class NextItemOut(serializers.Serializer):
    item = BlindItem(allow_null=True)
    progress = LabelAuditProgress()


def summary_out(label_audit: LabelAudit, progress: dict[str, int]) -> dict[str, Any]:
    """A label audit in a list."""
    return {
        "id": label_audit.pk,
        "prm": {"id": label_audit.scorer_id, "name": label_audit.scorer.name},
        "status": label_audit.status,
        "created_by": _person(label_audit.created_by),
        "created_at": label_audit.created_at,
        "ended_at": label_audit.ended_at,
        "progress": progress,
    }


def label_audit_out(label_audit: LabelAudit, reader: User) -> dict[str, Any]:
    """A label audit with its report, if it is over."""
    report = None
    if label_audit.status != LabelAudit.Status.OPEN:
        figures = {name: label_audit.report[name] for name in ("arms", "difference", "rulings")}
        figures["withdrawn"] = label_audit.report.get("withdrawn", 0)
        report = {**figures, "corrected": list(map(corrected_out, corrected_labels(label_audit)))}
    return {
        **summary_out(label_audit, progress_of([label_audit], reader)[label_audit.pk]),
        "seed": label_audit.seed,
        **label_audit.config.as_json(),
        "counts": label_audit.counts,
        "ended_by": _person(label_audit.ended_by),
        "undone_by": _person(label_audit.undone_by),
        "undone_at": label_audit.undone_at,
        "report": report,
    }


def label_audits_out(label_audits: Iterable[LabelAudit], reader: User) -> list[dict[str, Any]]:
    """A page of label audits. One query beside the page's."""
    label_audits = list(label_audits)
    progress = progress_of(label_audits, reader)
    return [summary_out(label_audit, progress[label_audit.pk]) for label_audit in label_audits]


def corrected_out(review: Review) -> dict[str, Any]:
    """A label that was not confirmed."""
    item = review.item
    return {
        "label_id": item.label_id,
        "task_id": item.label.task_id,
        "arm": item.arm,
        "labeler": _person(item.label.labeler),
        "problem_text": item.label.task.trace.problem.text[:160],
        "surprisal": item.surprisal,
        "least_likely_step": item.least_likely_step,
        "before": review.before,
        "after": review.after,
        "move": review.move,
        "reviewer": _person(item.reviewer),
        "ruled": item.ruling_id is not None,
        "note": item.note,
    }


def blind_out(item: LabelAuditItem, reader: User) -> dict[str, Any]:
    """A trace to review. Nothing of the label, its ids or its arm: whoever wants to look it up must not be helped."""
    trace = item.label.task.trace
    mine = item.reviewer_id == reader.pk
    return {
        "id": item.pk,
        "position": item.position,
        "problem": {
            "text": trace.problem.text,
            "answer": trace.problem.answer,
            "reference_solution": trace.problem.reference_solution,
        },
        "steps": trace.steps,
        "final_answer": trace.final_answer,
        "outcome": trace.outcome,
        "protocol": item.label.task.round.protocol,
        "review": _review_out(item) if mine else None,
    }


def next_out(label_audit: LabelAudit, item: LabelAuditItem | None, reader: User) -> dict[str, Any]:
    """The next trace for this person, or none; and how far all is."""
    progress = progress_of([label_audit], reader)[label_audit.pk]
    return {"item": blind_out(item, reader) if item else None, "progress": progress}


def _review_out(item: LabelAuditItem) -> dict[str, Any]:
    return {
        "ratings": item.ratings,
        "finish_reason": item.finish_reason,
        "finish_detail": item.finish_detail,
        "mistake": item.mistake,
        "note": item.note,
    }


def _person(person: Any) -> dict[str, Any] | None:
    return {"id": person.pk, "display_name": person.shown_name} if person else None
