"""Screening and labeler quality: a labeler's own, and everyone's for admins and researchers."""

from typing import Any

from rest_framework import serializers

from labeling import queries
from labeling.api.answers import Shape, With
from labeling.api.serializers.labels import RatingsField
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.runs import TextField, TypedStepShown
from labeling.models import Membership, Project, ScreeningAttempt, User
from labeling.queries.labeler_quality import RULES
from labeling.queries.screening import member_state

STATES = ["working", "screening", "retry", "rejected", "paused"]
ACTIONS = ["watch", "coach", "pause", "clear"]


class ShareOut(serializers.Serializer):
    """A share with Wilson's 95 % interval. Null if there are no data."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class PauseOut(Shape):
    """Why a labeler gets no tasks. The figures are present if the rule paused them (docs/quality.md)."""

    since = serializers.DateTimeField(source="paused_at")
    by_rule = serializers.BooleanField()
    reason = serializers.CharField(help_text="The reason that the admin gave, if an admin paused them.")
    passed = serializers.IntegerField(allow_null=True)
    agreement = ShareOut(allow_null=True)
    bar = serializers.FloatField(help_text="The required share.")

    def by_rule_of(self, member: Membership) -> bool:
        """False: paused by an admin."""
        return bool(member.pause.get("by_rule"))

    def reason_of(self, member: Membership) -> str:
        """Empty if the rule paused them."""
        return member.pause.get("reason", "")

    def passed_of(self, member: Membership) -> int | None:
        """The rule's count."""
        return member.pause.get("passed") if self.by_rule_of(member) else None

    def agreement_of(self, member: Membership) -> dict[str, Any] | None:
        """The rule's share."""
        return member.pause if self.by_rule_of(member) else None

    def bar_of(self, member: Membership) -> float:
        """The required share at that time."""
        return member.pause.get("bar", RULES.bar)


class ScreeningOut(serializers.Serializer):
    """A screening attempt. `passed` is shown once it is over."""

    attempt = serializers.IntegerField()
    done = serializers.IntegerField()
    of = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.IntegerField(allow_null=True)
    admitted = serializers.BooleanField(allow_null=True)
    feedback = serializers.BooleanField()
    attempts_left = serializers.IntegerField()
    begun = serializers.BooleanField(help_text="For this attempt: a first task was given out.")
    results = serializers.ListField(
        child=serializers.BooleanField(),
        help_text="Whether each finished task was accepted. Empty without feedback.",
    )


class MyQuality(serializers.Serializer):
    """Whether you get work here. Nothing in it reveals gold in rounds, unless you are paused because of it."""

    state = serializers.ChoiceField(STATES)
    screening = ScreeningOut(allow_null=True)
    pause = PauseOut(allow_null=True)


class FeedbackOut(serializers.Serializer):
    """The feedback on a screening answer. `acceptable`: steps from 0, or -1 for no error."""

    passed = serializers.BooleanField()
    verdict = serializers.IntegerField(allow_null=True)
    acceptable = serializers.ListField(child=serializers.IntegerField())
    explanation = serializers.CharField()
    paragraph = serializers.CharField()
    problem_text = serializers.CharField()
    answer = serializers.CharField(allow_null=True)
    steps = serializers.ListField(child=serializers.CharField())
    typed_steps = TypedStepShown(
        many=True, allow_null=True, help_text="Only for an agent's run; `steps` are its units."
    )
    ratings = RatingsField(help_text="Your ratings, one per step.")
    objection = serializers.CharField(help_text="Your objection to the accepted answer. Empty: none.")


class ObjectionIn(serializers.Serializer):
    text = TextField(max_length=2_000, help_text="Blank withdraws it.")


class PauseIn(serializers.Serializer):
    reason = TextField(default="", max_length=500)


class AttemptOut(Shape):
    attempt = serializers.IntegerField(source="number")
    of = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.IntegerField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def of_of(self, attempt: ScreeningAttempt) -> int:
        """The number of tasks it has."""
        return len(attempt.tasks)


class LabelerQualityOut(Shape):
    """How a labeler agrees with hidden gold.

    `run`: since they started, were cleared or came back. `recent`: the last 40 gold tasks. `decisive`: how many of the
    decisive errors that they named are accepted, on gold of agents' runs that accepts some.
    """

    member_id = serializers.IntegerField(source="member.pk")
    labeler = PersonRef(source="member.user")
    role = serializers.ChoiceField(Membership.Role.values, source="member.role")
    is_active = serializers.BooleanField(source="member.is_active")
    state = serializers.ChoiceField(STATES)
    action = serializers.ChoiceField(ACTIONS, help_text="What the rule says about the present run.")
    run = ShareOut()
    recent = ShareOut()
    decisive = ShareOut()
    pause = PauseOut(allow_null=True)
    attempts = AttemptOut(many=True)
    admitted_at = serializers.DateTimeField(source="member.admitted_at", allow_null=True)

    def state_of(self, row: With) -> str:
        """Whether they get work."""
        return member_state(row.member, row.attempts)

    def pause_of(self, row: With) -> Membership | None:
        """Their pause. None if they are not paused."""
        return row.member if row.member.paused_at else None


class LabelerQualitiesOut(serializers.Serializer):
    bar = serializers.FloatField(help_text="A labeler below it is paused, once the rule is sure enough.")
    good = serializers.FloatField()
    labelers = LabelerQualityOut(many=True)


def member_row(project: Project, member: Membership) -> With:
    """For LabelerQualityOut: a single labeler."""
    attempts = queries.screening.attempts_of(member.user, project)
    return With(queries.labeler_quality.qualities([member])[0], attempts=attempts)


def own_quality(labeler: User, project: Project) -> dict[str, Any]:
    """For MyQuality: what labelers see of their own quality."""
    found = queries.screening.my_quality(labeler, project)
    member = found.pop("member")
    return {**found, "pause": member if member and member.paused_at else None}
