"""Label audits. While one is open, nothing here reveals its arms, its labels or their surprisal."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.api.answers import Shape, With
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.audits import StepScorerRef
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.reviews import BlindReviewIn
from labeling.api.serializers.rounds import MAX_SEED
from labeling.api.serializers.runs import TypedStepShown
from labeling.configs import LabelAuditConfig
from labeling.formats.typed_steps import shown_steps
from labeling.models import LabelAudit, LabelAuditItem, User
from labeling.queries.label_audit_report import ARMS, MOVES, Review, corrected_labels
from labeling.queries.label_audits import progress_of


class LabelAuditQuestionIn(serializers.Serializer):
    prm = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, help_text="A PRM, or a source of machine labels of any kind."
    )
    round = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, allow_null=True, default=None)


class CreateLabelAuditIn(LabelAuditQuestionIn):
    labels = serializers.IntegerField(min_value=2, max_value=500)
    control_share = serializers.FloatField(min_value=0.05, max_value=0.9, default=0.3)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The validated value has `prm`, `seed`, and the rest as `config`."""
        asked = {name: attrs.pop(name) for name in ("labels", "control_share", "round")}
        return attrs | {"config": LabelAuditConfig(**asked)}


class LabelAuditCounts(serializers.Serializer):
    """What a label audit could choose from. `candidates`: the labels that remain after the others are left out."""

    labels = serializers.IntegerField(help_text="Current labels about steps on tasks that are not settled.")
    unscored = serializers.IntegerField(help_text="Labels about which the PRM or source says nothing.")
    learned = serializers.IntegerField(help_text="On traces that the PRM was trained on.")
    learned_known = serializers.BooleanField(
        allow_null=True,
        default=None,
        read_only=True,
        help_text="False: it is unknown what the PRM was trained on, so labels that it learned from cannot be left "
        "out. Null: a source that learns from no labels.",
    )
    reviewed = serializers.IntegerField(help_text="Already in a label audit.")
    same_trace = serializers.IntegerField(
        default=0, read_only=True, help_text="Labels of a trace with several labels, of which only one is chosen."
    )
    candidates = serializers.IntegerField()


class LabelAuditProgress(serializers.Serializer):
    items = serializers.IntegerField()
    reviewed = serializers.IntegerField()
    void = serializers.IntegerField(help_text="Changed or withdrawn since then, so they need no review.")
    yours = serializers.IntegerField(help_text="Labels that you could review now.")


class LabelAuditSummary(Shape):
    """A label audit prepared by `with_progress`."""

    id = serializers.IntegerField()
    prm = StepScorerRef(source="scorer")
    status = serializers.ChoiceField(LabelAudit.Status.values)
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    progress = LabelAuditProgress()


class CorrectedShare(serializers.Serializer):
    """`part` of `n` with Wilson's 95 % interval. Null if nothing was reviewed."""

    part = serializers.IntegerField()
    n = serializers.IntegerField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class ChangedSteps(serializers.Serializer):
    """Of the steps rated by both, with this rating in the label: those that the reviewer rates differently."""

    rating = serializers.IntegerField()
    n = serializers.IntegerField()
    changed = serializers.IntegerField()


class LabelAuditArm(serializers.Serializer):
    arm = serializers.ChoiceField(ARMS)
    items = serializers.IntegerField()
    reviewed = serializers.IntegerField()
    corrected = CorrectedShare()
    said_error = CorrectedShare(help_text="Of labels with a first error.")
    said_no_error = CorrectedShare(help_text="Of labels without a first error.")
    moves = serializers.DictField(child=serializers.IntegerField(), help_text=f"By kind: {', '.join(MOVES)}.")
    steps = ChangedSteps(many=True)


class ArmDifference(serializers.Serializer):
    """The model arm's corrected share minus the control's, with Newcombe's 95 % interval."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class CorrectedLabel(Shape):
    """A label that its reviewer does not confirm. Verdicts: a step from 0, -1 for no error, null for a bad problem."""

    label_id = serializers.IntegerField(source="item.label_id")
    task_id = serializers.IntegerField(source="item.label.task_id")
    arm = serializers.ChoiceField(ARMS, source="item.arm")
    labeler = PersonRef(source="item.label.labeler")
    problem_text = serializers.CharField()
    surprisal = serializers.FloatField(source="item.surprisal", help_text="In nats.")
    least_likely_step = serializers.IntegerField(source="item.least_likely_step")
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)
    move = serializers.ChoiceField(MOVES)
    reviewer = PersonRef(source="item.reviewer")
    ruled = serializers.BooleanField(help_text="The review became the ruling on the task.")
    note = serializers.CharField(source="item.note")

    def problem_text_of(self, review: Review) -> str:
        """The beginning of the problem's text."""
        return review.item.label.task.trace.problem.text[:160]

    def ruled_of(self, review: Review) -> bool:
        """Set when the label audit was finished."""
        return review.item.ruling_id is not None


class LabelAuditReport(serializers.Serializer):
    arms = LabelAuditArm(many=True)
    difference = ArmDifference()
    rulings = serializers.IntegerField()
    withdrawn = serializers.IntegerField(help_text="Rulings withdrawn when the label audit was undone.")
    corrected = CorrectedLabel(many=True)


class LabelAuditOut(LabelAuditSummary):
    seed = serializers.IntegerField()
    labels = serializers.IntegerField(source="config.labels", help_text="As asked.")
    control_share = serializers.FloatField(source="config.control_share")
    round = serializers.IntegerField(source="config.round", allow_null=True)
    counts = LabelAuditCounts()
    ended_by = PersonRef(allow_null=True)
    undone_by = PersonRef(allow_null=True)
    undone_at = serializers.DateTimeField(allow_null=True)
    report = LabelAuditReport(allow_null=True, help_text="Only once it is over.")

    def report_of(self, label_audit: With) -> dict[str, Any] | None:
        """The frozen counts, with the labels that were not confirmed."""
        if label_audit.status == LabelAudit.Status.OPEN:
            return None
        return {
            "withdrawn": 0,
            **label_audit.report,
            "corrected": corrected_labels(label_audit.row, label_audit.reader),
        }


class BlindProblem(serializers.Serializer):
    text = serializers.CharField()
    answer = serializers.CharField(allow_null=True)
    accepted_answers = serializers.ListField(child=serializers.CharField(), help_text="Right too.")
    reference_solution = serializers.CharField(allow_null=True)


class BlindItem(serializers.Serializer):
    """A trace to review, with nothing about the label in question, so that a reviewer cannot look the label up."""

    id = serializers.IntegerField()
    position = serializers.IntegerField()
    problem = BlindProblem(source="label.task.trace.problem")
    steps = serializers.ListField(child=serializers.CharField(), source="label.task.trace.steps")
    typed_steps = serializers.SerializerMethodField(help_text="Only for an agent's run; `steps` are its units.")
    final_answer = serializers.CharField(source="label.task.trace.final_answer", allow_null=True)
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"], source="label.task.trace.outcome")
    protocol = serializers.CharField(
        source="label.task.round.protocol",
        help_text="How the round's traces are labeled, and so how the review is made.",
    )
    review = BlindReviewIn(allow_null=True, help_text="Your earlier review.")

    @extend_schema_field(TypedStepShown(many=True, allow_null=True))
    def get_typed_steps(self, item: LabelAuditItem) -> list[dict[str, Any]] | None:
        """As labelers get them."""
        typed = item.label.task.trace.typed_steps
        return None if typed is None else shown_steps(typed)


class HoldNextIn(serializers.Serializer):
    after = serializers.IntegerField(
        min_value=0,
        max_value=10_000,
        allow_null=True,
        default=None,
        help_text="Put this one off, and get the next.",
    )


class NextItemOut(serializers.Serializer):
    item = BlindItem(allow_null=True)
    progress = LabelAuditProgress()


def with_progress(label_audits: Iterable[LabelAudit], reader: User) -> list[With]:
    """For LabelAuditSummary and LabelAuditOut: label audits with their progress for this reader. One query."""
    label_audits = list(label_audits)
    progress = progress_of(label_audits, reader)
    return [With(label_audit, progress=progress[label_audit.pk], reader=reader) for label_audit in label_audits]


def with_review(item: LabelAuditItem, reader: User) -> With:
    """For BlindItem: a trace to review, with this reader's earlier review of it."""
    return With(item, review=item if item.reviewer_id == reader.pk else None)


def next_item(label_audit: LabelAudit, item: LabelAuditItem | None, reader: User) -> dict[str, Any]:
    """For NextItemOut: the next trace for this person, if any, and the overall progress."""
    progress = progress_of([label_audit], reader)[label_audit.pk]
    return {"item": with_review(item, reader) if item else None, "progress": progress}
