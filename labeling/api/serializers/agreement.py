"""Shapes of the figures about agreement."""

from typing import Any

from rest_framework import serializers

from labeling.api.serializers.estimates import AsOf, EstimateOut
from labeling.api.serializers.labels import RoundRef
from labeling.api.serializers.people import PersonRef, SourceRef
from labeling.models import Label

LARGEST = (1 << 63) - 1


class AgreementIn(serializers.Serializer):
    round = serializers.IntegerField(min_value=1, max_value=LARGEST, required=False)
    subject = serializers.CharField(max_length=100, required=False, allow_blank=True)
    level = serializers.CharField(max_length=40, required=False, allow_blank=True)
    one = serializers.IntegerField(
        min_value=1, max_value=LARGEST, required=False, help_text="A labeler. Needs `other`."
    )
    other = serializers.IntegerField(min_value=1, max_value=LARGEST, required=False)
    base = serializers.BooleanField(default=False, help_text="Only the first labels of each task.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A pair is two labelers."""
        if ("one" in attrs) != ("other" in attrs) or (attrs.get("one") is not None and attrs["one"] == attrs["other"]):
            raise serializers.ValidationError({"other": "Choose two different labelers."})
        return attrs


class DisputedIn(AgreementIn):
    one = serializers.IntegerField(min_value=1, max_value=LARGEST)
    other = serializers.IntegerField(min_value=1, max_value=LARGEST)


class DisputedTrace(serializers.Serializer):
    """How two labelers judge a trace. A verdict is a step from 0, -1 for no error, or null for none."""

    trace_id = serializers.IntegerField()
    problem = serializers.CharField(help_text="Its beginning.")
    one_reason = serializers.ChoiceField(Label.FinishReason.values)
    one_verdict = serializers.IntegerField(allow_null=True)
    other_reason = serializers.ChoiceField(Label.FinishReason.values)
    other_verdict = serializers.IntegerField(allow_null=True)


class DisputedOut(serializers.Serializer):
    count = serializers.IntegerField(help_text="All of them, including those not in `results`.")
    results = DisputedTrace(many=True, help_text="The first hundred, farthest apart first.")


class AgreementEstimate(EstimateOut):
    """A figure over traces. If `value` is null, `why` says why."""

    why = serializers.ChoiceField(["nothing_shared", "no_variation"], allow_null=True)


class AgreementFigures(serializers.Serializer):
    alpha = AgreementEstimate()
    exact = AgreementEstimate()
    within_one = AgreementEstimate()
    has_error = AgreementEstimate()
    distance = AgreementEstimate()


class PairFigures(AgreementFigures):
    kappa_ratings = AgreementEstimate()
    kappa_has_error = AgreementEstimate()


class AgreeingPair(serializers.Serializer):
    one = PersonRef()
    other = PersonRef()
    traces = serializers.IntegerField()
    figures = PairFigures()


class AgreementPart(serializers.Serializer):
    name = serializers.CharField()
    traces = serializers.IntegerField()
    figures = AgreementFigures()


class FinishReasonPair(serializers.Serializer):
    one = serializers.ChoiceField(Label.FinishReason.values)
    other = serializers.ChoiceField(Label.FinishReason.values)
    n = serializers.IntegerField()


class AgreementOut(AsOf):
    traces = serializers.IntegerField(help_text="Traces with two or more labels.")
    labels = serializers.IntegerField()
    figures = AgreementFigures()
    decisive_error = AgreementEstimate(
        help_text="For agents' runs: whether two labelers who both name a decisive error name the same one."
    )
    finish_reasons = FinishReasonPair(many=True)
    pairs = AgreeingPair(many=True)
    by_subject = AgreementPart(many=True)
    by_level = AgreementPart(many=True)
    labelers = SourceRef(many=True)
    rounds = RoundRef(many=True)
    subjects = serializers.ListField(child=serializers.CharField())
    levels = serializers.ListField(child=serializers.CharField())
