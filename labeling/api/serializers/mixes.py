"""The ways of choosing other than convincing wrong answers, and the advice about them."""

from typing import Any

from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.short_lists import ShortList
from labeling.queries.mixes import ADVISED
from labeling.selection import WAYS, Mix

MOST_NAMED = 100  # traces that others are to be like
ONE = 1 + 1e-9


class MixFields(serializers.Serializer):
    """Shares of K by way of choosing. The rest is for convincing traces."""

    disagreement = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="The two scorers differ most."
    )
    wavering = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="Heads trained on resampled problems differ most."
    )
    unsure = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="The highest mean entropy of the steps' verdicts."
    )
    like = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="Texts similar to those of like_traces."
    )
    typical = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="Nearest to the centre of a cluster of texts. Needs no PRM."
    )
    other = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        allow_null=True,
        default=None,
        help_text="For disagreement: the step scorer that the PRM is compared with.",
    )
    like_traces = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), max_length=MOST_NAMED, default=list
    )


class MixIn(MixFields):
    """Shares of K by way of choosing, over the pool alone, along with a control arm."""

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The validated value is a `Mix`."""
        if sum(attrs[one] for one in WAYS) > ONE:
            raise serializers.ValidationError("The shares add up to more than the whole. Lower one of them.")
        if attrs["disagreement"] and attrs["other"] is None:
            raise serializers.ValidationError({"other": ["Choose the scorer that the PRM is compared with."]})
        if attrs["like"] and not attrs["like_traces"]:
            raise serializers.ValidationError({"like_traces": ["Name the traces that others should be like."]})
        return Mix(**{**attrs, "like_traces": tuple(sorted(set(attrs["like_traces"])))})


class AdvisedRules(serializers.Serializer):
    """In the form's format."""

    mode = serializers.ChoiceField(["per_problem", "global"])
    k = serializers.IntegerField()
    ratio = serializers.FloatField()
    control_share = serializers.FloatField()
    mix = MixFields()


class AdviceOut(serializers.Serializer):
    """The recommended mix and the reason."""

    code = serializers.ChoiceField(list(ADVISED))
    text = serializers.CharField()
    rules = AdvisedRules()
