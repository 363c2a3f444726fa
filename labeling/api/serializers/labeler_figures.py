"""Labelers side by side, and a labeler's own figures."""

from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.estimates import AsOf
from labeling.api.serializers.labels import RoundRef
from labeling.api.serializers.time_spent import EstimateOut
from labeling.quality.haste import WINDOW
from labeling.queries.labeler_pace import CHANGES


class LabelersIn(serializers.Serializer):
    """The labels that the figures cover, with the filters of the list of labels. Omitted filters are ignored."""

    round = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False, help_text="Its id.")
    since = serializers.DateTimeField(required=False, help_text="Submitted at this time or later.")
    until = serializers.DateTimeField(required=False, help_text="Submitted before.")


class MedianPace(serializers.Serializer):
    """Seconds of active time per step: medians over labels that rated a step and have active time."""

    median = EstimateOut(help_text="Its interval ends at two of the labels' times (order statistics).")
    newest = EstimateOut(
        allow_null=True, help_text=f"Of the {WINDOW} newest labels. Null: too few others to set them against."
    )
    change = serializers.ChoiceField(
        CHANGES,
        allow_null=True,
        help_text="The newest labels compared with all others, if the two intervals do not overlap.",
    )


class LabelerFigures(serializers.Serializer):
    """One person's ordinary work. Shares have Wilson's 95 % interval."""

    id = serializers.IntegerField()
    display_name = serializers.CharField()
    is_active = serializers.BooleanField()
    labels = serializers.IntegerField()
    steps = serializers.IntegerField(help_text="Rated by hand. Carried-over ratings do not count.")
    active_ms = serializers.IntegerField()
    seconds_a_step = serializers.FloatField(
        allow_null=True, help_text="Median over timed labels. Null if there are none."
    )
    pace = MedianPace()
    give_up = EstimateOut()
    too_fast = EstimateOut(help_text="Hasty labels: less active time per step than `floor_ms`.")
    peers = EstimateOut(help_text="Pairs of labels of one task with the same first error.")
    gold = EstimateOut(help_text="Hidden gold tasks passed.")
    last_at = serializers.DateTimeField()


class LabelersOut(AsOf):
    results = LabelerFigures(many=True)
    floor_ms = serializers.IntegerField(help_text="A label with less active time per step than this is hasty.")
    rounds = RoundRef(many=True, help_text="The rounds by which the figures can be filtered.")


class HastyInRound(serializers.Serializer):
    round = serializers.IntegerField()
    hasty = serializers.IntegerField()
    judged = serializers.IntegerField(help_text="Labels with a rated step.")


class HastyLabelsOut(AsOf):
    """Labels that took less than `floor_ms` of active time per step, by round. Imported labels do not count."""

    floor_ms = serializers.IntegerField()
    rounds = HastyInRound(many=True)


class OwnRound(serializers.Serializer):
    """Your own ordinary work in a round."""

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
    """A gold task of a closed round that you did not pass: your answer, the accepted ones, and what it teaches."""

    kind = serializers.ChoiceField(["missed_error", "false_alarm", "wrong_place", "no_verdict"])
    round = serializers.IntegerField()
    label_id = serializers.IntegerField(help_text="Your label of it.")
    verdict = serializers.IntegerField(
        allow_null=True, help_text="A step from 0, -1 for no error, or null for none given."
    )
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
    """A label of yours that differs from how its trace was settled."""

    label_id = serializers.IntegerField()
    round = serializers.IntegerField()
    problem = serializers.CharField(help_text="Its beginning.")
    verdict = serializers.IntegerField(allow_null=True, help_text="Your verdict. Null: a bad problem.")
    settled = serializers.IntegerField(allow_null=True, help_text="The settled verdict. Null: a bad problem.")
    ruled = serializers.BooleanField(help_text="Settled by a reviewer, not by enough equal labels.")


class Differences(serializers.Serializer):
    """Settled traces that you may compare. Traces of rounds with gold are included only once the round is closed."""

    compared = serializers.IntegerField()
    differed = serializers.IntegerField()
    latest = Difference(many=True)


class CoachingOut(serializers.Serializer):
    """Gold is shown only for closed rounds."""

    rounds = OwnRound(many=True)
    gold = OwnGold()
    differences = Differences()
