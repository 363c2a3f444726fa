"""Finished labels: in lists, in full, next to the work on another trace, and labels that are held."""

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
    """One of your labels of another trace of the same problem."""

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
        default="", allow_blank=True, max_length=200, help_text="Words of the problem, exactly as written."
    )
    result = serializers.ChoiceField(list(RESULTS), default="", allow_blank=True, help_text="How it was finished.")
    hasty = serializers.BooleanField(
        default=False, help_text="Only labels that took less time per rated step than the project's floor."
    )


class LabelSummary(Shape):
    """One of your own labels in a list. Prefetch its `step_labels`, or pass its `ratings` along.

    It does not name its task, because task ids would reveal which tasks are gold.
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
    can_compare = serializers.BooleanField(help_text="The trace is settled, so its labels may be seen side by side.")
    supersedes = serializers.IntegerField(source="supersedes_id", allow_null=True)
    has_draft = serializers.BooleanField()

    def rated_steps_of(self, label: Label) -> int:
        """Rated steps of the trace itself."""
        ratings = getattr(label, "ratings", None)
        return sum(rating is not None for rating in (own_ratings(label) if ratings is None else ratings))

    def problem_text_of(self, label: Label) -> str:
        """The beginning of the problem's text."""
        return label.task.trace.problem.text[:160]

    def can_revise_until_of(self, label: Label) -> datetime | None:
        """Null: it can no longer be revised."""
        return revisable_until(label)

    def can_compare_of(self, label: Label) -> bool:
        """Whether they can be compared now."""
        return may_compare(label, timezone.now())

    def has_draft_of(self, label: Label) -> bool:
        """Whether an expired lease has a draft."""
        return label.draft is not None


class MyLabel(LabelSummary):
    """An entry of My work. Whether there is something to reveal is read for a whole page at once."""

    can_reveal = serializers.BooleanField(help_text="A machine judged its trace, and the labeler may see that now.")
    hasty = serializers.BooleanField(help_text="Submitted in less time per rated step than the project's floor.")


def in_diary(project: Project, labels: list[Label]) -> list[With]:
    """Labels with everything that My work needs, read for a whole page at once."""
    telling = with_something_to_see(load_first_versions(labels))
    hasty = hasty_among(project, [label.pk for label in labels])
    return [With(label, can_reveal=label.pk in telling, hasty=label.pk in hasty) for label in labels]


class SubmittedOut(serializers.Serializer):
    label = LabelSummary()  # type: ignore[assignment]  # also a name of DRF
    surplus = serializers.BooleanField()
    round_closed = serializers.BooleanField(help_text="Its round is closed. A submission from now on is surplus.")


class AlternativeLabel(serializers.Serializer):
    completion = serializers.IntegerField(source="completion_id")
    step = serializers.IntegerField(source="step_index")
    rating = serializers.ChoiceField(Rating.values, allow_null=True)
    flagged = serializers.BooleanField(allow_null=True)
    chosen = serializers.BooleanField()


class CarriedStep(serializers.Serializer):
    """A rating that was filled in from an earlier label and not changed."""

    step = serializers.IntegerField(source="step_index")
    task_id = serializers.IntegerField(
        source="carried_from.label.task_id",
        allow_null=True,
        help_text="Of the earlier label. Null if it was taken back.",
    )


class LabelDetail(LabelSummary):
    """A finished label with everything in it, for researchers. Prefetch its rows."""

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
        allow_null=True, help_text="When the scores were shown. Null: never."
    )
    edited_after_reveal = serializers.BooleanField(help_text="Changed after the labeler had seen the scores.")
    surplus_because = serializers.ChoiceField(
        ["round_closed", "slot_taken"], allow_null=True, help_text="Null: not surplus, or not submitted."
    )
    ruling = serializers.BooleanField(
        source="is_ruling", help_text="A reviewer's own label, even if it was replaced or withdrawn since (superseded)."
    )
    note = serializers.CharField(help_text="Why a reviewer settled it this way. Only for rulings.")
    excluded = serializers.BooleanField(help_text="Excluded by hand (*Labels*).")

    def ratings_of(self, label: Label) -> list[int | None]:
        """One per step of the trace."""
        return own_ratings(label)

    def carried_of(self, label: Label) -> list[StepLabel]:
        """Only for the trace's own steps."""
        return [row for row in _own(label) if row.source == StepLabel.Source.CARRIED]

    def step_active_ms_of(self, label: Label) -> list[int]:
        """One per step of the trace."""
        active = {row.step_index: row.active_ms for row in _own(label)}
        return [active.get(step, 0) for step in range(len(label.task.trace.steps))]

    def alternatives_of(self, label: Label) -> list[StepLabel]:
        """What it says about alternatives to the trace's own steps."""
        return [row for row in label.step_labels.all() if row.completion_id is not None]

    def comments_of(self, label: Label) -> list[With]:
        """By step."""
        return [With(row, step=row.step_index) for row in label.comments.all()]

    def reports_of(self, label: Label) -> list[With]:
        """Reports of faults in the trace."""
        return [With(row, step=row.step_index) for row in label.reports.all()]

    def note_of(self, label: Label) -> str:
        """Empty for a labeler's own label."""
        return label.extra.get("note", "")


class RevealedOut(serializers.Serializer):
    scores = TraceScores(many=True)
    checks = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Per step, calculations that were checked and are wrong. Empty if nothing was checked.",
    )
    marks = MachineMarkOut(many=True, help_text="Marks of the source that the round shows. Empty if it shows none.")


class LeaseProgress(serializers.Serializer):
    rated = serializers.IntegerField()
    steps = serializers.IntegerField()


class LeaseHeld(Shape):
    """A held label on the leases page. Its progress is read from the draft."""

    label_id = serializers.IntegerField(source="pk")
    labeler = LabelerRef()
    task_id = serializers.IntegerField(
        source="known_task",
        allow_null=True,
        help_text="Null for your own label: you cannot look it up while you are labeling it.",
    )
    round_number = serializers.IntegerField(source="task.round.number")
    status = serializers.ChoiceField(["open", "prefetched"])
    claimed_at = serializers.DateTimeField()
    leased_until = serializers.DateTimeField()
    progress = LeaseProgress()
    last_seen_at = serializers.DateTimeField(allow_null=True)

    def progress_of(self, label: Label) -> dict[str, int]:
        """Rated steps and all steps. The page stores ratings in the draft's `content`; other programs may store them
        elsewhere."""
        draft = label.draft or {}
        content = draft.get("content")
        rated = (content if isinstance(content, dict) else draft).get("ratings")
        rated = rated if isinstance(rated, list) else []
        return {"rated": sum(rating is not None for rating in rated), "steps": len(label.task.trace.steps)}


def own_ratings(label: Label) -> list[int | None]:
    """One entry per step of the trace: how this label rated the trace's own steps."""
    ratings: list[int | None] = [None] * len(label.task.trace.steps)
    for row in _own(label):
        if row.step_index < len(ratings):
            ratings[row.step_index] = row.rating
    return ratings


def _own(label: Label) -> list[StepLabel]:
    return [row for row in label.step_labels.all() if row.completion_id is None]
