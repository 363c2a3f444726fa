"""A project's Home and its forecast."""

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
        help_text="The number of labels to add after those that open rounds want. If omitted, the forecast covers "
        "the latter.",
    )


class ForecastDates(serializers.Serializer):
    value = serializers.DateField(allow_null=True)
    low = serializers.DateField(allow_null=True)
    high = serializers.DateField(allow_null=True)


class ForecastDay(serializers.Serializer):
    day = serializers.DateField()
    labels = serializers.IntegerField(help_text="Not counting hasty labels.")
    hasty = serializers.IntegerField()


class ForecastOut(AsOf):
    """When the labels will be done, how long they take and what they cost. The intervals are prediction intervals."""

    labels = serializers.IntegerField()
    ahead = serializers.IntegerField(help_text="Labels that open rounds want. They are made first.")
    hours = EstimateOut(help_text="Hours of active labeling for `labels`.")
    cost = EstimateOut(allow_null=True, help_text="Cost of these hours. Null: the project has no hourly rate.")
    currency = serializers.CharField(allow_blank=True)
    hourly_rate = serializers.CharField(allow_null=True)
    days = EstimateOut(help_text="Calendar days from today until all are done. `clusters`: days with work.")
    done = ForecastDates()
    minutes_a_label = EstimateOut(help_text="The basis of the hours.")
    by_day = ForecastDay(many=True, help_text="Up to two weeks and today, in UTC. Today is not part of any rate.")
    gold_on_top = serializers.IntegerField(
        help_text="The most hidden gold that a labeler of a round may get in addition to these labels, given the "
        "gold that exists."
    )


class WaitingThing(serializers.Serializer):
    kind = serializers.ChoiceField(WAITS)
    count = serializers.IntegerField()
    of = serializers.IntegerField(allow_null=True, default=None, help_text="For hasty labels: out of how many.")
    number = serializers.IntegerField(allow_null=True, default=None, help_text="The round's number.")
    name = serializers.CharField(allow_blank=True, default="", help_text="The name of the labeler, round or PRM.")
    id = serializers.IntegerField(allow_null=True, default=None, help_text="The id of what its page is about.")


class QualityFigure(serializers.Serializer):
    """A share of the labels with its rule. `good`: the whole interval meets the rule. `bad`: none of it does."""

    name = serializers.ChoiceField(list(RULES))
    share = EstimateOut()
    word = serializers.ChoiceField(WORDS)
    limit = serializers.FloatField()
    most = serializers.BooleanField(help_text="True: the share should be at most `limit`. False: at least.")


class HomeOut(AsOf):
    quality = QualityFigure(many=True)
    learning = LearningOut(allow_null=True)


class BadgesOut(AsOf):
    """The counts of what waits for a decision."""

    waits = WaitingThing(many=True)


class SelectorMeasured(serializers.Serializer):
    """An evaluation, for the page that shows two side by side."""

    id = serializers.IntegerField()
    set_name = serializers.CharField(source="evaluation_set.name")


class SelectorOut(serializers.Serializer):
    """The project's selector compared with the previous one. `why`: the verdict, or why there can be none."""

    why = serializers.ChoiceField(["none", "first", "not_compared", "compared"])
    selector = StepScorerRef(allow_null=True, default=None)
    since = serializers.DateTimeField(allow_null=True, default=None)
    before = StepScorerRef(allow_null=True, default=None)
    baseline_not_beaten = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="As in the list of PRMs."
    )
    left = SelectorMeasured(
        allow_null=True, default=None, help_text="The current selector's evaluation on the newest set that both have."
    )
    right = SelectorMeasured(allow_null=True, default=None, help_text="The previous selector's evaluation.")
    differences = DifferenceOut(many=True, default=list)
