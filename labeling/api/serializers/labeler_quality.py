"""Shapes of screening and labeler quality: a labeler's own, and everybody's for admins and researchers."""

from typing import Any

from rest_framework import serializers

from labeling import queries
from labeling.api.serializers.labels import TextField
from labeling.api.serializers.people import PersonRef
from labeling.models import Membership, Project, ScreeningAttempt, User
from labeling.queries.labeler_quality import RULES, PersonQuality
from labeling.queries.screening import member_state
from labeling.statistics.intervals import Estimate

STATES = ["working", "screening", "retry", "rejected", "paused"]
ACTIONS = ["watch", "coach", "pause", "clear"]


class ShareOut(serializers.Serializer):
    """A share with Wilson's 95 % interval; null where nothing was seen."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class PauseOut(serializers.Serializer):
    """Why somebody gets no tasks. The figures are there where the rule did it (docs/quality.md)."""

    since = serializers.DateTimeField()
    by_rule = serializers.BooleanField()
    reason = serializers.CharField(help_text="What the admin wrote, where one did it.")
    passed = serializers.IntegerField(allow_null=True)
    agreement = ShareOut(allow_null=True)
    bar = serializers.FloatField(help_text="The share asked for.")


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
    steps = serializers.ListField(child=serializers.CharField())


class PauseIn(serializers.Serializer):
    reason = TextField(default="", max_length=500)


class AttemptOut(serializers.Serializer):
    attempt = serializers.IntegerField()
    of = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.IntegerField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class LabelerQualityOut(serializers.Serializer):
    """How a labeler agrees with hidden gold.

    `run`: since they began, were cleared or came back; `recent`: the last 40 gold tasks.
    """

    member_id = serializers.IntegerField()
    labeler = PersonRef()
    role = serializers.ChoiceField(Membership.Role.values)
    is_active = serializers.BooleanField()
    state = serializers.ChoiceField(STATES)
    action = serializers.ChoiceField(ACTIONS, help_text="What the rule says of the present run.")
    run = ShareOut()
    recent = ShareOut()
    pause = PauseOut(allow_null=True)
    attempts = AttemptOut(many=True)
    admitted_at = serializers.DateTimeField(allow_null=True)


class LabelerQualitiesOut(serializers.Serializer):
    bar = serializers.FloatField(help_text="Below it a labeler is paused, once it is sure enough.")
    good = serializers.FloatField()
    labelers = LabelerQualityOut(many=True)


def pause_out(member: Membership) -> dict[str, Any] | None:
    """Why a member is paused; None where they are not."""
    if member.paused_at is None:
        return None
    why = member.pause
    by_rule = bool(why.get("by_rule"))
    return {
        "since": member.paused_at,
        "by_rule": by_rule,
        "reason": why.get("reason", ""),
        "passed": why.get("passed") if by_rule else None,
        "agreement": {name: why[name] for name in ("value", "low", "high", "n")} if by_rule else None,
        "bar": why.get("bar", RULES.bar),
    }


def share_out(estimate: Estimate) -> dict[str, Any]:
    """A share as JSON values."""
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def attempt_out(attempt: ScreeningAttempt) -> dict[str, Any]:
    """An attempt in somebody's row."""
    return {
        "attempt": attempt.number,
        "of": len(attempt.tasks),
        "needed": attempt.needed,
        "passed": attempt.passed,
        "finished_at": attempt.finished_at,
    }


def quality_out(found: PersonQuality, attempts: list[ScreeningAttempt]) -> dict[str, Any]:
    """A labeler's row on the quality page."""
    member = found.member
    return {
        "member_id": member.pk,
        "labeler": {"id": member.user_id, "display_name": member.user.shown_name},
        "role": member.role,
        "is_active": member.is_active,
        "state": member_state(member, attempts),
        "action": found.action,
        "run": share_out(found.run),
        "recent": share_out(found.recent),
        "pause": pause_out(member),
        "attempts": [attempt_out(attempt) for attempt in attempts],
        "admitted_at": member.admitted_at,
    }


def member_out(project: Project, member: Membership) -> dict[str, Any]:
    """One labeler's row by itself."""
    return quality_out(
        queries.labeler_quality.qualities([member])[0], queries.screening.attempts_of(member.user, project)
    )


def my_quality_out(labeler: User, project: Project) -> dict[str, Any]:
    """What a labeler is told of their own quality."""
    found = queries.screening.my_quality(labeler, project)
    member = found.pop("member")
    return {**found, "pause": pause_out(member) if member else None}
