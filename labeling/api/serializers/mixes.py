"""Shapes of the ways of choosing that stand beside convincing wrong answers, and of the advice about them."""

from typing import Any

from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.short_lists import ShortList
from labeling.queries.mixes import ADVISED
from labeling.selection import WAYS, Mix

MOST_NAMED = 100  # traces that others are to be like
ONE = 1 + 1e-9


class MixFields(serializers.Serializer):
    """Shares of K by way of choosing; what they leave is for convincing traces."""

    disagreement = serializers.FloatField(min_value=0, max_value=1, default=0.0, help_text="Two scorers differ most.")
    wavering = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="Heads of problems drawn anew are furthest apart."
    )
    unsure = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="The highest mean entropy of the steps' verdicts."
    )
    like = serializers.FloatField(min_value=0, max_value=1, default=0.0, help_text="Texts like those of like_traces.")
    typical = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="Nearest to the middle of a cluster of texts; needs no PRM."
    )
    other = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        allow_null=True,
        default=None,
        help_text="Of disagreement: the step scorer that the PRM is held against.",
    )
    like_traces = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), max_length=MOST_NAMED, default=list
    )


class MixIn(MixFields):
    """Shares of K by way of choosing, over the pool alone and beside a control arm."""

    def validate(self, attrs: dict[str, Any]) -> Any:
        """Validated it is a `Mix`."""
        if sum(attrs[one] for one in WAYS) > ONE:
            raise serializers.ValidationError("The shares are more than all places together. Lower one of them.")
        if attrs["disagreement"] and attrs["other"] is None:
            raise serializers.ValidationError({"other": ["Say which scorer the PRM is to be held against."]})
        if attrs["like"] and not attrs["like_traces"]:
            raise serializers.ValidationError({"like_traces": ["Name the traces that others are to be like."]})
        return Mix(**{**attrs, "like_traces": tuple(sorted(set(attrs["like_traces"])))})


class AdvisedRules(serializers.Serializer):
    """As the form has them."""

    mode = serializers.ChoiceField(["per_problem", "global"])
    k = serializers.IntegerField()
    ratio = serializers.FloatField()
    control_share = serializers.FloatField()
    mix = MixFields()


class AdviceOut(serializers.Serializer):
    """Which mix is recommended, and why."""

    code = serializers.ChoiceField(list(ADVISED))
    text = serializers.CharField()
    rules = AdvisedRules()
