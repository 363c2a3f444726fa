"""Projects and their audit log."""

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
        help_text="Tasks of open rounds that still want a label. For annotators: the labels that these rounds "
        "still need."
    )
    labels_submitted = serializers.IntegerField(
        help_text="Counted as on Home: without imported labels, surplus labels and gold. For annotators: all but "
        "imported labels."
    )
    open_rounds = serializers.IntegerField()


class ProjectOut(serializers.Serializer):
    """A project as its members see it. `role` is your own."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    status = serializers.ChoiceField(Project.Status.values)
    taken_out_at = serializers.DateTimeField(
        source="taken_out.at",
        default=None,
        allow_null=True,
        help_text="Since when its rows are in a file. Null: they are here.",
    )
    role = serializers.ChoiceField(Membership.Role.values, source="my_role")
    default_overlap = serializers.IntegerField()
    default_overlap_most = serializers.IntegerField(help_text="0: the overlap is fixed.")
    default_overlap_needed = serializers.IntegerField(help_text="0: the overlap is fixed.")
    lease_minutes = serializers.IntegerField()
    revise_window_hours = serializers.IntegerField()
    reference_solution = serializers.BooleanField()
    reveal_scores = serializers.BooleanField(
        help_text="Labelers may see the scores of a trace once they have submitted their label."
    )
    answer_kind = serializers.ChoiceField(Project.AnswerKind.values)
    answer_tolerance = serializers.FloatField(help_text="A share of the true value, for answers that are numbers.")
    session_traces = serializers.IntegerField(help_text="Traces of one problem that a labeler gets in a row. 0: none.")
    stalled_hours = serializers.IntegerField(
        help_text="Time without a claim after which an open round counts as stalled."
    )
    hourly_rate = serializers.DecimalField(
        max_digits=8, decimal_places=2, allow_null=True, help_text="As text, so that money is not rounded."
    )
    currency = serializers.CharField(help_text="Currency of the hourly rate, such as EUR. May be empty.")
    gold_per_round = serializers.IntegerField(
        allow_null=True, help_text="Gold tasks that each labeler gets in a round. 0: none. Null for annotators."
    )
    screening = serializers.BooleanField(help_text="New annotators do gold tasks before they get real work.")
    screening_tasks = serializers.IntegerField()
    screening_share = serializers.FloatField(help_text="The share needed to pass, above 0 and up to 1.")
    screening_retries = serializers.IntegerField()
    screening_feedback = serializers.BooleanField(help_text="The accepted answer is shown after each task.")
    rated_unit = serializers.ChoiceField(
        Project.RatedUnit.values, help_text="What is rated of agents' runs imported from now on."
    )
    trains_at_close = serializers.BooleanField(help_text="When a round closes, a PRM is trained on all labels.")
    after_error = AfterErrorShape(allow_null=True, help_text="What new rounds do at a mistake. Null for annotators.")
    created_at = serializers.DateTimeField()
    counts = ProjectCounts()

    def to_representation(self, project: Project) -> dict[str, Any]:
        """Labelers may not see how much gold a round has, or which generator is behind it."""
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
        help_text="A project from which to copy settings and the newest guidelines. Data and people are not copied.",
    )


class ChangeProjectIn(serializers.Serializer):
    """The settings to change. Omitted settings stay as they are."""

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
    """Who did what, when. `actor` is null for the machine."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = PersonRef(allow_null=True)
    action = serializers.CharField(help_text="Its name, which never changes.")
    words = serializers.CharField(help_text="A readable name of the action: `Import begun`.")
    target = serializers.CharField()
    detail = serializers.DictField()


class AuditFiltersIn(serializers.Serializer):
    """Which entries. Empty filters are ignored."""

    who = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        help_text="Part of a name, or `the machine` if nobody did it.",
    )
    what = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        help_text="Part of the action's name or text, or of what it was done to.",
    )
    since = serializers.DateTimeField(required=False, help_text="At this time or later.")
    until = serializers.DateTimeField(required=False, help_text="Before.")


def with_names(events: Sequence[AuditEvent]) -> list[With]:
    """The same entries in readable form, with names of members and labelers instead of ids."""
    shown = named(events)
    return [
        With(event, words=words_of(event.action), target=target, detail=detail)
        for event, (target, detail) in zip(events, shown, strict=True)
    ]


def audit_table(events: Iterable[AuditEvent]) -> Iterator[Sequence[Any]]:
    """A heading, then one row per entry. The detail is JSON."""
    yield ("id", "at", "name", "username", "action", "target", "detail")
    for event in (one for some in chunks_of(events, 1_000) for one in with_names(some)):
        who = (event.actor.display_name, event.actor.username) if event.actor else (THE_MACHINE, "")
        detail = orjson.dumps(event.detail, option=orjson.OPT_SORT_KEYS).decode()
        yield (event.pk, event.at.isoformat(), *who, event.action, event.target, detail)
