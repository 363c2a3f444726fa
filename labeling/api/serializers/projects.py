"""Shapes of projects and their audit."""

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import orjson
from rest_framework import serializers

from labeling.api.answers import With, chunks_of
from labeling.api.one_line import OneLine
from labeling.api.serializers.after_error import AfterErrorShape
from labeling.api.serializers.people import PersonRef
from labeling.models import AuditEvent, Membership, Project
from labeling.queries.audit_names import named
from labeling.queries.audit_words import words_of
from labeling.queries.projects import THE_MACHINE


class ProjectCounts(serializers.Serializer):
    """How much there is in a project."""

    problems = serializers.IntegerField()
    traces = serializers.IntegerField()
    tasks_wanting = serializers.IntegerField(
        help_text="Tasks of open rounds that still want a label. To annotators: labels that these rounds lack."
    )
    labels_submitted = serializers.IntegerField(
        help_text="As Home counts them: without imported and surplus labels and gold. To annotators: all but imported."
    )
    open_rounds = serializers.IntegerField()


class ProjectOut(serializers.Serializer):
    """A project as its members see it; `role` is the asker's own."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    status = serializers.ChoiceField(Project.Status.values)
    taken_out_at = serializers.DateTimeField(
        source="taken_out.at",
        default=None,
        allow_null=True,
        help_text="Its rows are in a file since then; null: they are here.",
    )
    role = serializers.ChoiceField(Membership.Role.values, source="my_role")
    default_overlap = serializers.IntegerField()
    default_overlap_most = serializers.IntegerField(help_text="0: the overlap is fixed.")
    default_overlap_needed = serializers.IntegerField(help_text="0: the overlap is fixed.")
    lease_minutes = serializers.IntegerField()
    revise_window_hours = serializers.IntegerField()
    reference_solution = serializers.BooleanField()
    reveal_scores = serializers.BooleanField(help_text="Labelers may see the scores of a trace once they submitted.")
    answer_kind = serializers.ChoiceField(Project.AnswerKind.values)
    answer_tolerance = serializers.FloatField(help_text="A share of the true value; for answers that are numbers.")
    session_traces = serializers.IntegerField(help_text="Traces of one problem that a labeler gets in a row; 0: none.")
    stalled_hours = serializers.IntegerField(help_text="Without a claim; then an open round counts as stalled.")
    hourly_rate = serializers.DecimalField(
        max_digits=8, decimal_places=2, allow_null=True, help_text="As text: money is not rounded in between."
    )
    currency = serializers.CharField(help_text="Of the hourly rate, as EUR; may be empty.")
    gold_per_round = serializers.IntegerField(
        allow_null=True, help_text="Gold tasks that each labeler meets in a round; 0: none. Null to annotators."
    )
    screening = serializers.BooleanField(help_text="New annotators do gold tasks before they get real work.")
    screening_tasks = serializers.IntegerField()
    screening_share = serializers.FloatField(help_text="The share to pass, above 0, up to 1.")
    screening_retries = serializers.IntegerField()
    screening_feedback = serializers.BooleanField(help_text="The accepted answer is shown after each task.")
    rated_unit = serializers.ChoiceField(
        Project.RatedUnit.values, help_text="What is rated of an agent's run that is imported from now on."
    )
    trains_at_close = serializers.BooleanField(help_text="When a round closes, a PRM is trained on all labels.")
    after_error = AfterErrorShape(allow_null=True, help_text="What new rounds do at a mistake. Null to annotators.")
    created_at = serializers.DateTimeField()
    counts = ProjectCounts()

    def to_representation(self, project: Project) -> dict[str, Any]:
        """How much gold there is in a round is not for labelers, nor which generator stands behind it."""
        shown: dict[str, Any] = super().to_representation(project)
        if shown["role"] == Membership.Role.ANNOTATOR:
            shown["gold_per_round"] = shown["after_error"] = None
        return shown


class CreateProjectIn(serializers.Serializer):
    """A new project."""

    slug = serializers.SlugField(max_length=60)
    name = OneLine(max_length=120)
    description = serializers.CharField(
        max_length=5000, required=False, allow_blank=True, default="", trim_whitespace=False
    )
    like = serializers.SlugField(
        max_length=60,
        default="",
        allow_blank=True,
        help_text="A project whose settings and newest guidelines it begins with; no data, no people.",
    )


class ChangeProjectIn(serializers.Serializer):
    """The settings to change; what is left out stays."""

    name = OneLine(max_length=120, required=False)
    description = serializers.CharField(max_length=5000, required=False, allow_blank=True, trim_whitespace=False)
    status = serializers.ChoiceField(Project.Status.values, required=False)
    default_overlap = serializers.IntegerField(min_value=1, max_value=20, required=False)
    default_overlap_most = serializers.IntegerField(min_value=0, max_value=20, required=False)
    default_overlap_needed = serializers.IntegerField(min_value=0, max_value=20, required=False)
    lease_minutes = serializers.IntegerField(min_value=1, max_value=24 * 60, required=False)
    revise_window_hours = serializers.IntegerField(min_value=0, max_value=24 * 365, required=False)
    reference_solution = serializers.BooleanField(required=False)
    reveal_scores = serializers.BooleanField(required=False)
    answer_kind = serializers.ChoiceField(Project.AnswerKind.values, required=False)
    answer_tolerance = serializers.FloatField(min_value=0, max_value=1, required=False)
    session_traces = serializers.ChoiceField([0, 2, 3, 4, 5], required=False)
    stalled_hours = serializers.IntegerField(min_value=1, max_value=24 * 30, required=False)
    hourly_rate = serializers.DecimalField(
        max_digits=8, decimal_places=2, min_value=Decimal(0), required=False, allow_null=True
    )
    currency = serializers.RegexField("^([A-Z]{3})?$", required=False, allow_blank=True)

    gold_per_round = serializers.IntegerField(min_value=0, max_value=50, required=False)
    screening = serializers.BooleanField(required=False)
    screening_tasks = serializers.IntegerField(min_value=1, max_value=200, required=False)
    screening_share = serializers.FloatField(min_value=0.01, max_value=1, required=False)
    screening_retries = serializers.IntegerField(min_value=0, max_value=20, required=False)
    screening_feedback = serializers.BooleanField(required=False)
    rated_unit = serializers.ChoiceField(Project.RatedUnit.values, required=False)
    trains_at_close = serializers.BooleanField(required=False)
    after_error = AfterErrorShape(required=False)

    def validate_screening_share(self, share: float) -> float:
        """Refuses "nan"."""
        return self.validate_answer_tolerance(share)

    def validate_answer_tolerance(self, share: float) -> float:
        """Refuses "nan", which passes every comparison with a bound."""
        if not math.isfinite(share):
            raise serializers.ValidationError("Give a number.")
        return share


class AuditEventOut(serializers.Serializer):
    """Who did what, when. `actor` null: the machine."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = PersonRef(allow_null=True)
    action = serializers.CharField(help_text="Its name, which never changes.")
    words = serializers.CharField(help_text="The act as people read it: `Import begun`.")
    target = serializers.CharField()
    detail = serializers.DictField()


class AuditFiltersIn(serializers.Serializer):
    """Which entries; what is empty narrows nothing."""

    who = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        help_text="A part of a name; `the machine` where nobody did it.",
    )
    what = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        help_text="A part of the act's name or words, or of what it was done to.",
    )
    since = serializers.DateTimeField(required=False, help_text="Then or later.")
    until = serializers.DateTimeField(required=False, help_text="Before.")


def with_names(events: Sequence[AuditEvent]) -> list[With]:
    """The same entries in words, with the names of members and labelers, of whom the log has numbers."""
    shown = named(events)
    return [
        With(event, words=words_of(event.action), target=target, detail=detail)
        for event, (target, detail) in zip(events, shown, strict=True)
    ]


def audit_table(events: Iterable[AuditEvent]) -> Iterator[Sequence[Any]]:
    """A heading, then a row an entry; the detail is JSON."""
    yield ("id", "at", "name", "username", "action", "target", "detail")
    for event in (one for some in chunks_of(events, 1_000) for one in with_names(some)):
        who = (event.actor.display_name, event.actor.username) if event.actor else (THE_MACHINE, "")
        detail = orjson.dumps(event.detail, option=orjson.OPT_SORT_KEYS).decode()
        yield (event.pk, event.at.isoformat(), *who, event.action, event.target, detail)
