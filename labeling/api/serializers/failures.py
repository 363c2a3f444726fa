"""The page of known failures."""

from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.audits import StepScorerRef
from labeling.api.serializers.estimates import AsOf, EstimateOut
from labeling.queries.failures import SECTIONS

UNITS = ["share", "difference", "correlation", "auc", "log", "seconds"]


class FailuresIn(serializers.Serializer):
    """`scorer`: whose page to show. Default: the promoted scorer, otherwise the newest."""

    scorer = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)


class FailureFigure(EstimateOut):
    """A figure, or `why` it cannot be measured here and what it `needs`. `of`: its round, arm or group."""

    name = serializers.CharField()
    unit = serializers.ChoiceField(UNITS)
    of = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True)
    needs = serializers.CharField(allow_blank=True)
    traces = serializers.ListField(child=serializers.IntegerField(), help_text="Some of the traces behind it.")


class FailureSection(serializers.Serializer):
    name = serializers.ChoiceField(SECTIONS)
    figures = FailureFigure(many=True)


class FailuresOut(AsOf):
    """Known failures of one selector, from the literature. Null: the project has none to choose by."""

    selector = StepScorerRef(allow_null=True)
    choices = StepScorerRef(many=True)
    sections = FailureSection(many=True)
