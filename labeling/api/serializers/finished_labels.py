"""Shapes of labels as they stand: in lists, in full, beside the work on another trace, and those that are held."""

from datetime import datetime

from django.utils import timezone
from rest_framework import serializers

from labeling.api.answers import Shape, With
from labeling.api.serializers.labels import (
    VERDICT,
    Comment,
    Confirmation,
    FinishDetail,
    LabelerRef,
    MistakeSaid,
    RatingsField,
    Report,
    RoundRef,
)
from labeling.api.serializers.runs import RunMarks
from labeling.api.serializers.selection import TraceScores
from labeling.api.serializers.sources import MachineMarkOut
from labeling.models import Label, Project, Rating, StepLabel
from labeling.queries.diary import RESULTS
from labeling.queries.haste import hasty_among
from labeling.queries.label_comparison import may_compare
from labeling.queries.labels import load_first_versions, revisable_until
from labeling.queries.reveals import with_something_to_see


class EarlierLabel(Shape):
    """One of one's own labels of another trace of the same problem."""

    id = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    finish_reason = serializers.ChoiceField(Label.FinishReason.values)
    verdict = serializers.IntegerField(allow_null=True, help_text=VERDICT)
    steps = serializers.ListField(child=serializers.CharField(), source="task.trace.steps")
    ratings = RatingsField()

    def ratings_of(self, label: Label) -> list[int | None]:
        """One per step of the trace."""
        return own_ratings(label)


class EarlierLabelsOut(serializers.Serializer):
    results = EarlierLabel(many=True)


class BrowseMyLabelsIn(serializers.Serializer):
    search = serializers.CharField(
        default="", allow_blank=True, max_length=200, help_text="Words of the problem, as they stand there."
    )
    result = serializers.ChoiceField(list(RESULTS), default="", allow_blank=True, help_text="How it was finished.")
    hasty = serializers.BooleanField(
        default=False, help_text="Only those in less time a rated step than the project's floor."
    )


class LabelSummary(Shape):
    """One's own label in a list; its `step_labels` should be prefetched, or its `ratings` be beside it.

    It does not name its task: ids of tasks tell gold from work.
    """

    id = serializers.IntegerField()
    round = RoundRef(source="task.round")
    labeler = LabelerRef()
    status = serializers.ChoiceField(Label.Status.values)
    finish_reason = serializers.ChoiceField(
        Label.FinishReason.values, allow_blank=True, help_text="Empty until submitted."
    )
    submitted_at = serializers.DateTimeField(allow_null=True)
    active_ms = serializers.IntegerField(source="worked_ms", help_text="Of all its versions.")
    rated_steps = serializers.IntegerField()
    verdict = serializers.IntegerField(allow_null=True, help_text=VERDICT)
    problem_text = serializers.CharField()
    surplus = serializers.BooleanField()
    can_revise_until = serializers.DateTimeField(allow_null=True)
    can_compare = serializers.BooleanField(help_text="The trace is settled: its labels may be seen side by side.")
    supersedes = serializers.IntegerField(source="supersedes_id", allow_null=True)
    has_draft = serializers.BooleanField()

    def rated_steps_of(self, label: Label) -> int:
        """Of the trace's own."""
        ratings = getattr(label, "ratings", None)
        return sum(rating is not None for rating in (own_ratings(label) if ratings is None else ratings))

    def problem_text_of(self, label: Label) -> str:
        """Its beginning."""
        return label.task.trace.problem.text[:160]

    def can_revise_until_of(self, label: Label) -> datetime | None:
        """Null: it can no more."""
        return revisable_until(label)

    def can_compare_of(self, label: Label) -> bool:
        """Now."""
        return may_compare(label, timezone.now())

    def has_draft_of(self, label: Label) -> bool:
        """Of a lost lease."""
        return label.draft is not None


class MyLabel(LabelSummary):
    """A line of one's own diary; whether there is something to reveal is read for the whole page of them."""

    can_reveal = serializers.BooleanField(
        help_text="A machine has said something of its trace that whoever labeled it may see now."
    )
    hasty = serializers.BooleanField(help_text="Submitted in less time a rated step than the project's floor.")


def in_diary(project: Project, labels: list[Label]) -> list[With]:
    """With what a diary reads for all of a page's labels in one go."""
    telling = with_something_to_see(load_first_versions(labels))
    hasty = hasty_among(project, [label.pk for label in labels])
    return [With(label, can_reveal=label.pk in telling, hasty=label.pk in hasty) for label in labels]


class SubmittedOut(serializers.Serializer):
    label = LabelSummary()  # type: ignore[assignment]  # also a name of DRF
    surplus = serializers.BooleanField()
    round_closed = serializers.BooleanField(help_text="Its round is closed; what comes after that is surplus.")


class AlternativeLabel(serializers.Serializer):
    completion = serializers.IntegerField(source="completion_id")
    step = serializers.IntegerField(source="step_index")
    rating = serializers.ChoiceField(Rating.values, allow_null=True)
    flagged = serializers.BooleanField(allow_null=True)
    chosen = serializers.BooleanField()


class CarriedStep(serializers.Serializer):
    """A step's rating that was filled in from an earlier label and left as it was."""

    step = serializers.IntegerField(source="step_index")
    task_id = serializers.IntegerField(
        source="carried_from.label.task_id",
        allow_null=True,
        help_text="Of the earlier label; null where it was taken back.",
    )


class LabelDetail(LabelSummary):
    """A finished label with all that it says, for researchers; its rows should be prefetched."""

    task_id = serializers.IntegerField()
    ratings = RatingsField()
    carried = CarriedStep(many=True)
    step_active_ms = serializers.ListField(child=serializers.IntegerField())
    noticed_at_step = serializers.IntegerField(allow_null=True)
    finish_detail = FinishDetail()
    mistake = MistakeSaid(allow_null=True)
    run_marks = RunMarks(allow_null=True, help_text="Of an agent's run as a whole.")
    alternatives = AlternativeLabel(many=True)
    comments = Comment(many=True)
    reports = Report(many=True)
    confirmations = Confirmation(many=True)
    guideline_version = serializers.IntegerField(source="guideline.version", allow_null=True)
    client_build = serializers.CharField()
    total_ms = serializers.IntegerField(allow_null=True)
    scores_revealed_at = serializers.DateTimeField(
        allow_null=True, help_text="When the scores were shown; null: never."
    )
    edited_after_reveal = serializers.BooleanField(help_text="Changed after the labeler had seen them.")
    surplus_because = serializers.ChoiceField(
        ["round_closed", "slot_taken"], allow_null=True, help_text="Null: it is not surplus, or not submitted."
    )
    ruling = serializers.BooleanField(
        source="is_ruling", help_text="A reviewer's own, also one that was replaced or withdrawn since (superseded)."
    )
    note = serializers.CharField(help_text="Why a reviewer settled it so; only of rulings.")
    excluded = serializers.BooleanField(help_text="Left out by hand (*Labels*).")

    def ratings_of(self, label: Label) -> list[int | None]:
        """One per step of the trace."""
        return own_ratings(label)

    def carried_of(self, label: Label) -> list[StepLabel]:
        """Of the trace's own steps."""
        return [row for row in _own(label) if row.source == StepLabel.Source.CARRIED]

    def step_active_ms_of(self, label: Label) -> list[int]:
        """One per step of the trace."""
        active = {row.step_index: row.active_ms for row in _own(label)}
        return [active.get(step, 0) for step in range(len(label.task.trace.steps))]

    def alternatives_of(self, label: Label) -> list[StepLabel]:
        """What it says of steps beside the trace's own."""
        return [row for row in label.step_labels.all() if row.completion_id is not None]

    def comments_of(self, label: Label) -> list[With]:
        """By step."""
        return [With(row, step=row.step_index) for row in label.comments.all()]

    def reports_of(self, label: Label) -> list[With]:
        """Of faults in the trace."""
        return [With(row, step=row.step_index) for row in label.reports.all()]

    def note_of(self, label: Label) -> str:
        """Empty of a labeler's."""
        return label.extra.get("note", "")


class RevealedOut(serializers.Serializer):
    scores = TraceScores(many=True)
    checks = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="By step what was computed again and does not hold; empty where nothing was checked.",
    )
    marks = MachineMarkOut(many=True, help_text="Of the source that the round shows; empty where it shows none.")


class LeaseProgress(serializers.Serializer):
    rated = serializers.IntegerField()
    steps = serializers.IntegerField()


class LeaseHeld(Shape):
    """A held label as the leases page shows it; progress is read from the draft."""

    label_id = serializers.IntegerField(source="pk")
    labeler = LabelerRef()
    task_id = serializers.IntegerField(
        source="known_task", allow_null=True, help_text="Null: one's own, which nobody looks up while they label it."
    )
    round_number = serializers.IntegerField(source="task.round.number")
    status = serializers.ChoiceField(["open", "prefetched"])
    claimed_at = serializers.DateTimeField()
    leased_until = serializers.DateTimeField()
    progress = LeaseProgress()
    last_seen_at = serializers.DateTimeField(allow_null=True)

    def progress_of(self, label: Label) -> dict[str, int]:
        """Steps rated so far, and steps. The page keeps ratings in its `content`; other programs where they like."""
        draft = label.draft or {}
        content = draft.get("content")
        rated = (content if isinstance(content, dict) else draft).get("ratings")
        rated = rated if isinstance(rated, list) else []
        return {"rated": sum(rating is not None for rating in rated), "steps": len(label.task.trace.steps)}


def own_ratings(label: Label) -> list[int | None]:
    """One entry per step of the trace: what this label rated the trace's own steps."""
    ratings: list[int | None] = [None] * len(label.task.trace.steps)
    for row in _own(label):
        if row.step_index < len(ratings):
            ratings[row.step_index] = row.rating
    return ratings


def _own(label: Label) -> list[StepLabel]:
    return [row for row in label.step_labels.all() if row.completion_id is None]
