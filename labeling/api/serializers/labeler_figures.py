"""Shapes of people side by side, and of a labeler's own figures."""

from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.estimates import AsOf
from labeling.api.serializers.labels import RoundRef
from labeling.api.serializers.time_spent import EstimateOut
from labeling.quality.haste import WINDOW
from labeling.queries.labeler_pace import CHANGES


class LabelersIn(serializers.Serializer):
    """Of which labels the figures are, as the list of labels takes them; what is left out narrows nothing."""

    round = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False, help_text="Its id.")
    since = serializers.DateTimeField(required=False, help_text="Submitted then or later.")
    until = serializers.DateTimeField(required=False, help_text="Submitted before.")


class MedianPace(serializers.Serializer):
    """Seconds of active time a step: medians over labels that rated one and came with active time."""

    median = EstimateOut(help_text="Its interval ends at two of the labels' times (order statistics).")
    newest = EstimateOut(
        allow_null=True, help_text=f"Of the {WINDOW} newest labels. Null: too few others to set them against."
    )
    change = serializers.ChoiceField(
        CHANGES,
        allow_null=True,
        help_text="What the newest are against all others, where the intervals of the two have nothing in common.",
    )


class LabelerFigures(serializers.Serializer):
    """One person's ordinary work. Shares have Wilson's 95 % interval."""

    id = serializers.IntegerField()
    display_name = serializers.CharField()
    is_active = serializers.BooleanField()
    labels = serializers.IntegerField()
    steps = serializers.IntegerField(help_text="Rated by hand; what was carried over is left out.")
    active_ms = serializers.IntegerField()
    seconds_a_step = serializers.FloatField(allow_null=True, help_text="Median over timed labels; null: none is.")
    pace = MedianPace()
    give_up = EstimateOut()
    too_fast = EstimateOut(help_text="Hasty labels: less active time a step than `floor_ms`.")
    peers = EstimateOut(help_text="Pairs of labels of one task with the same first error.")
    gold = EstimateOut(help_text="Hidden gold tasks passed.")
    last_at = serializers.DateTimeField()


class LabelersOut(AsOf):
    results = LabelerFigures(many=True)
    floor_ms = serializers.IntegerField(help_text="Under so much active time a step a label is hasty.")
    rounds = RoundRef(many=True, help_text="Those that the figures can be narrowed to.")


class HastyInRound(serializers.Serializer):
    round = serializers.IntegerField()
    hasty = serializers.IntegerField()
    judged = serializers.IntegerField(help_text="Labels with a rated step.")


class HastyLabelsOut(AsOf):
    """Labels that took less than `floor_ms` of active time a step, round by round; not of imported ones."""

    floor_ms = serializers.IntegerField()
    rounds = HastyInRound(many=True)


class OwnRound(serializers.Serializer):
    """One's own ordinary work in a round."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    closed = serializers.BooleanField()
    labels = serializers.IntegerField()
    steps = serializers.IntegerField()
    active_ms = serializers.IntegerField()
    seconds_a_step = serializers.FloatField(allow_null=True)
    give_up = EstimateOut()


class GoldOfRound(serializers.Serializer):
    number = serializers.IntegerField()
    gold = EstimateOut()


class Confusion(serializers.Serializer):
    """A gold task of a closed round that one did not pass: what one said, what is accepted, and what it teaches."""

    kind = serializers.ChoiceField(["missed_error", "false_alarm", "wrong_place", "no_verdict"])
    round = serializers.IntegerField()
    label_id = serializers.IntegerField(help_text="One's own label of it.")
    verdict = serializers.IntegerField(allow_null=True, help_text="A step from 0, -1: no error, null: none given.")
    acceptable = serializers.ListField(child=serializers.IntegerField())
    explanation = serializers.CharField()
    paragraph = serializers.CharField()
    steps = serializers.ListField(child=serializers.CharField())
    problem = serializers.CharField()


class OwnGold(serializers.Serializer):
    rounds = GoldOfRound(many=True)
    confusions = Confusion(many=True)
    counts = serializers.DictField(child=serializers.IntegerField())


class Difference(serializers.Serializer):
    """A label of one's own that says otherwise than what its trace was settled as."""

    label_id = serializers.IntegerField()
    round = serializers.IntegerField()
    problem = serializers.CharField(help_text="Its beginning.")
    verdict = serializers.IntegerField(allow_null=True, help_text="One's own; null: a bad problem.")
    settled = serializers.IntegerField(allow_null=True, help_text="What was settled; null: a bad problem.")
    ruled = serializers.BooleanField(help_text="A reviewer settled it, not enough equal labels.")


class Differences(serializers.Serializer):
    """Of settled traces that one may compare: not while a round with gold is open."""

    compared = serializers.IntegerField()
    differed = serializers.IntegerField()
    latest = Difference(many=True)


class CoachingOut(serializers.Serializer):
    """Gold is shown of closed rounds only."""

    rounds = OwnRound(many=True)
    gold = OwnGold()
    differences = Differences()
