"""The learning curve of a training."""

from typing import get_args

from rest_framework import serializers

from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.labels import RoundRef
from labeling.statistics.learning_curves import Silence


class LearningPoint(serializers.Serializer):
    """A head fitted on a share of the labels, measured on problems that it left out."""

    labels = serializers.IntegerField(help_text="Labels it was fitted on, on average.")
    auc = EstimateOut()
    baseline = serializers.FloatField(allow_null=True, help_text="The AUC of positions and lengths alone.")


class LearningGain(serializers.Serializer):
    """What more labels would add to the step AUC if the curve continues. If null, `because` says why."""

    more = serializers.IntegerField()
    gain = EstimateOut(allow_null=True)
    auc = serializers.FloatField(allow_null=True, help_text="The step AUC that this would lead to.")
    because = serializers.ChoiceField(get_args(Silence), allow_null=True)


class LearningCurveOut(serializers.Serializer):
    labels = serializers.IntegerField(help_text="All labels that the training learned from. Each fold leaves some out.")
    problems = serializers.IntegerField(help_text="Steps that the points are measured on.")
    steps = serializers.IntegerField()
    points = LearningPoint(many=True)
    gains = LearningGain(many=True)


class LearningOut(serializers.Serializer):
    """The newest training here that has a learning curve."""

    run = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    finished_at = serializers.DateTimeField()
    at_close_of = RoundRef(allow_null=True, help_text="The round whose closing started it. Null: a person started it.")
    curve = LearningCurveOut()
