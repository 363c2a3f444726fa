"""Gold, for admins and researchers."""

from typing import Any

from rest_framework import serializers

from labeling.api.serializers.labeler_quality import ShareOut
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.runs import MAX_STEPS, StepIndexField, TextField
from labeling.api.short_lists import ShortList
from labeling.models import Gold

MOST_TEXT = 5_000
SIGNS = ["wrong_key", "split", "leaked", "too_easy"]


class AcceptableField(ShortList):
    """The accepted first errors: steps from 0, or -1 for "no error"."""

    def __init__(self, **kwargs: Any) -> None:
        child = serializers.IntegerField(min_value=-1, max_value=MAX_STEPS)
        super().__init__(child=child, allow_empty=False, max_length=MAX_STEPS, **kwargs)


class DecisiveField(ShortList):
    """The accepted decisive errors of an agent's run: steps from 0. Empty: decisive errors are not judged."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=StepIndexField(), max_length=MAX_STEPS, **kwargs)


class MakeGoldIn(serializers.Serializer):
    acceptable = AcceptableField()
    acceptable_decisive = DecisiveField(default=list)
    explanation = TextField(default="", max_length=MOST_TEXT)
    paragraph = TextField(default="", max_length=MOST_TEXT)


class ChangeGoldIn(serializers.Serializer):
    """What to change. Omitted fields stay as they are. Earlier answers are judged again."""

    acceptable = AcceptableField(required=False)
    acceptable_decisive = DecisiveField(required=False)
    explanation = TextField(required=False, max_length=MOST_TEXT)
    paragraph = TextField(required=False, max_length=MOST_TEXT)


class RetireGoldIn(serializers.Serializer):
    reason = TextField(default="", max_length=500)


class GoldFilter(serializers.Serializer):
    status = serializers.ChoiceField(Gold.Status.values, required=False, allow_blank=True)


class VerdictCount(serializers.Serializer):
    verdict = serializers.IntegerField(
        allow_null=True, help_text="The first error that was found, -1 for none. Null: gave up."
    )
    n = serializers.IntegerField()
    accepted = serializers.BooleanField()


class Objection(serializers.Serializer):
    labeler = serializers.CharField(help_text="The name that others see.")
    verdict = serializers.IntegerField(
        allow_null=True, help_text="The first error that was found, -1 for none. Null: gave up."
    )
    text = serializers.CharField()


class GoldTally(serializers.Serializer):
    """How labelers did on it, in screening and in rounds. `low` and `high` are Wilson's 95 % interval."""

    n = serializers.IntegerField()
    passed = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    decisive = ShareOut(help_text="If the item accepts decisive errors: the labels whose decisive error is accepted.")
    verdicts = VerdictCount(many=True)
    signs = serializers.ListField(child=serializers.ChoiceField(SIGNS), help_text="Reasons to doubt the item.")
    objections = Objection(
        many=True, help_text="Objections of labelers who were shown the accepted answer in the screening."
    )


class GoldOut(serializers.Serializer):
    """A gold item prepared by `queries.gold.with_answers`."""

    id = serializers.IntegerField()
    trace_id = serializers.IntegerField()
    problem_text = serializers.CharField(source="trace.problem.text")
    steps = serializers.ListField(child=serializers.CharField(), source="trace.steps")
    acceptable = serializers.ListField(
        child=serializers.IntegerField(), help_text="The accepted first errors: steps from 0, or -1 for no error."
    )
    acceptable_decisive = serializers.ListField(
        child=serializers.IntegerField(), help_text="In the same form as when it was made."
    )
    is_run = serializers.BooleanField(help_text="It is an agent's run, so it may have a decisive error.")
    explanation = serializers.CharField()
    paragraph = serializers.CharField()
    origin = serializers.ChoiceField(Gold.Source.values, source="source")
    status = serializers.ChoiceField(Gold.Status.values)
    retired_because = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    tally = GoldTally()


class GoldCounts(serializers.Serializer):
    """How much gold there is, and how much the project's settings need."""

    active = serializers.IntegerField()
    retired = serializers.IntegerField()
    fresh = serializers.IntegerField(help_text="Active, and not yet given to anyone.")
    least_left = serializers.IntegerField(
        allow_null=True, help_text="Active, and new to the labeler who has had most of it. Null if nobody labels."
    )
    labelers = serializers.IntegerField(help_text="Labelers who share the work.")
    short = serializers.IntegerField(help_text="Of those, the ones with too little new gold left for a whole round.")
    a_round = serializers.IntegerField()
    a_screening = serializers.IntegerField(help_text="0 if there is no screening.")
