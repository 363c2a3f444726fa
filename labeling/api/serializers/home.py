"""Shapes of a project's Home and of its forecast."""

from rest_framework import serializers

from labeling.api.serializers.audits import StepScorerRef
from labeling.api.serializers.estimates import AsOf, EstimateOut
from labeling.api.serializers.evaluations import DifferenceOut
from labeling.api.serializers.learning_curves import LearningOut
from labeling.quality.scorecard import RULES, WORDS

WAITS = [
    *("failed_round", "hasty_labeler", "paused_labeler", "reviews", "ready_round"),
    *("labeled_round", "label_audit", "audit_to_finish", "trained_prm"),
]
MOST_LABELS = 10_000_000


class ForecastIn(serializers.Serializer):
    labels = serializers.IntegerField(
        min_value=0,
        max_value=MOST_LABELS,
        required=False,
        help_text="So many more, after those that open rounds want; without it, of these themselves.",
    )


class ForecastDates(serializers.Serializer):
    value = serializers.DateField(allow_null=True)
    low = serializers.DateField(allow_null=True)
    high = serializers.DateField(allow_null=True)


class ForecastDay(serializers.Serializer):
    day = serializers.DateField()
    labels = serializers.IntegerField(help_text="Without the hasty ones.")
    hasty = serializers.IntegerField()


class ForecastOut(AsOf):
    """When so many labels are made, how long they take and what they cost; the intervals are of what will be seen."""

    labels = serializers.IntegerField()
    ahead = serializers.IntegerField(help_text="What open rounds want, and what is made first.")
    hours = EstimateOut(help_text="Of active labeling; of `labels`.")
    cost = EstimateOut(allow_null=True, help_text="Of these hours; null: the project has no hourly rate.")
    currency = serializers.CharField(allow_blank=True)
    hourly_rate = serializers.CharField(allow_null=True)
    days = EstimateOut(help_text="Of the calendar, from today on, until all are made; `clusters`: days with work.")
    done = ForecastDates()
    minutes_a_label = EstimateOut(help_text="What the hours rest on.")
    by_day = ForecastDay(many=True, help_text="Up to two weeks and today, UTC; today is in no rate.")
    gold_on_top = serializers.IntegerField(
        help_text="Hidden gold that each labeler of a round may meet at most, beside these labels: of what is there."
    )


class WaitingThing(serializers.Serializer):
    kind = serializers.ChoiceField(WAITS)
    count = serializers.IntegerField()
    of = serializers.IntegerField(allow_null=True, default=None, help_text="Of how many, for hasty labels.")
    number = serializers.IntegerField(allow_null=True, default=None, help_text="Of the round.")
    name = serializers.CharField(allow_blank=True, default="", help_text="Of the labeler, round or PRM.")
    id = serializers.IntegerField(allow_null=True, default=None, help_text="Of what its page is about.")


class QualityFigure(serializers.Serializer):
    """A share of the labels with its rule. `good`: its whole interval keeps the rule; `bad`: none of it does."""

    name = serializers.ChoiceField(list(RULES))
    share = EstimateOut()
    word = serializers.ChoiceField(WORDS)
    limit = serializers.FloatField()
    most = serializers.BooleanField(help_text="The share should be at most `limit`, not at least.")


class HomeOut(AsOf):
    quality = QualityFigure(many=True)
    learning = LearningOut(allow_null=True)


class BadgesOut(AsOf):
    """What waits for a decision."""

    waits = WaitingThing(many=True)


class SelectorMeasured(serializers.Serializer):
    """An evaluation, for the page that shows two side by side."""

    id = serializers.IntegerField()
    set_name = serializers.CharField(source="evaluation_set.name")


class SelectorOut(serializers.Serializer):
    """The project's selector against the one before it. `why`: what is said of it, or why nothing can be."""

    why = serializers.ChoiceField(["none", "first", "not_compared", "compared"])
    selector = StepScorerRef(allow_null=True, default=None)
    since = serializers.DateTimeField(allow_null=True, default=None)
    before = StepScorerRef(allow_null=True, default=None)
    baseline_not_beaten = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="As of a PRM of the list."
    )
    left = SelectorMeasured(allow_null=True, default=None, help_text="The selector's on the newest set of both.")
    right = SelectorMeasured(allow_null=True, default=None, help_text="That of the one before it.")
    differences = DifferenceOut(many=True, default=list)
