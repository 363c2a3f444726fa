"""Shapes of screening and labeler quality: a labeler's own, and everybody's for admins and researchers."""

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
    """A share with Wilson's 95 % interval; null where nothing was seen."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class PauseOut(Shape):
    """Why somebody gets no tasks. The figures are there where the rule did it (docs/quality.md)."""

    since = serializers.DateTimeField(source="paused_at")
    by_rule = serializers.BooleanField()
    reason = serializers.CharField(help_text="What the admin wrote, where one did it.")
    passed = serializers.IntegerField(allow_null=True)
    agreement = ShareOut(allow_null=True)
    bar = serializers.FloatField(help_text="The share asked for.")

    def by_rule_of(self, member: Membership) -> bool:
        """Or by an admin."""
        return bool(member.pause.get("by_rule"))

    def reason_of(self, member: Membership) -> str:
        """Empty where the rule did it."""
        return member.pause.get("reason", "")

    def passed_of(self, member: Membership) -> int | None:
        """The rule's count."""
        return member.pause.get("passed") if self.by_rule_of(member) else None

    def agreement_of(self, member: Membership) -> dict[str, Any] | None:
        """The rule's share."""
        return member.pause if self.by_rule_of(member) else None

    def bar_of(self, member: Membership) -> float:
        """As it was then."""
        return member.pause.get("bar", RULES.bar)


class ScreeningOut(serializers.Serializer):
    """A screening attempt. `passed` is said when it is over."""

    attempt = serializers.IntegerField()
    done = serializers.IntegerField()
    of = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.IntegerField(allow_null=True)
    admitted = serializers.BooleanField(allow_null=True)
    feedback = serializers.BooleanField()
    attempts_left = serializers.IntegerField()
    begun = serializers.BooleanField(help_text="Of this attempt: a first task was given out.")
    results = serializers.ListField(
        child=serializers.BooleanField(),
        help_text="Whether each task that is done was accepted; empty without feedback.",
    )


class MyQuality(serializers.Serializer):
    """Whether one gets work here. Nothing in it tells of gold in rounds unless one is paused for it."""

    state = serializers.ChoiceField(STATES)
    screening = ScreeningOut(allow_null=True)
    pause = PauseOut(allow_null=True)


class FeedbackOut(serializers.Serializer):
    """What is told of a screening answer. `acceptable`: steps from 0, -1 = no error."""

    passed = serializers.BooleanField()
    verdict = serializers.IntegerField(allow_null=True)
    acceptable = serializers.ListField(child=serializers.IntegerField())
    explanation = serializers.CharField()
    paragraph = serializers.CharField()
    problem_text = serializers.CharField()
    answer = serializers.CharField(allow_null=True)
    steps = serializers.ListField(child=serializers.CharField())
    typed_steps = TypedStepShown(many=True, allow_null=True, help_text="Of an agent's run; `steps` are its units.")
    ratings = RatingsField(help_text="One's own, one per step.")
    objection = serializers.CharField(help_text="Why one holds the accepted answer wrong; empty: one does not say so.")


class ObjectionIn(serializers.Serializer):
    text = TextField(max_length=2_000, help_text="Blank takes it back.")


class PauseIn(serializers.Serializer):
    reason = TextField(default="", max_length=500)


class AttemptOut(Shape):
    attempt = serializers.IntegerField(source="number")
    of = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.IntegerField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def of_of(self, attempt: ScreeningAttempt) -> int:
        """How many tasks it has."""
        return len(attempt.tasks)


class LabelerQualityOut(Shape):
    """How a labeler agrees with hidden gold.

    `run`: since they began, were cleared or came back; `recent`: the last 40 gold tasks; `decisive`: of the decisive
    errors of agents' runs that they named on gold that accepts some, those accepted.
    """

    member_id = serializers.IntegerField(source="member.pk")
    labeler = PersonRef(source="member.user")
    role = serializers.ChoiceField(Membership.Role.values, source="member.role")
    is_active = serializers.BooleanField(source="member.is_active")
    state = serializers.ChoiceField(STATES)
    action = serializers.ChoiceField(ACTIONS, help_text="What the rule says of the present run.")
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
        """Whose pause it is; nobody's where they are not paused."""
        return row.member if row.member.paused_at else None


class LabelerQualitiesOut(serializers.Serializer):
    bar = serializers.FloatField(help_text="Below it a labeler is paused, once it is sure enough.")
    good = serializers.FloatField()
    labelers = LabelerQualityOut(many=True)


def member_row(project: Project, member: Membership) -> With:
    """For LabelerQualityOut: one labeler by themselves."""
    attempts = queries.screening.attempts_of(member.user, project)
    return With(queries.labeler_quality.qualities([member])[0], attempts=attempts)


def own_quality(labeler: User, project: Project) -> dict[str, Any]:
    """For MyQuality: what a labeler is told of their own."""
    found = queries.screening.my_quality(labeler, project)
    member = found.pop("member")
    return {**found, "pause": member if member and member.paused_at else None}
