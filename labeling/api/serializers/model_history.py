"""A project's models on one timeline, and its leaderboards."""

from rest_framework import serializers

from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.evaluations import EvaluationSetOut, FigureOut
from labeling.api.serializers.labels import RoundRef
from labeling.api.serializers.learning_curves import LearningOut
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.rounds import PrmRef
from labeling.models import Evaluation, StepScorer
from labeling.queries.model_history import KINDS


class ModelEvent(serializers.Serializer):
    """An event in the life of a model. `made`: connected, registered or imported."""

    kind = serializers.ChoiceField(KINDS)
    id = serializers.IntegerField(help_text="The id of the scorer, training, evaluation or promotion.")
    at = serializers.DateTimeField()
    by = PersonRef(allow_null=True)
    prm = PrmRef(allow_null=True, help_text="Null: a training that made no scorer, or there is no selector any more.")
    status = serializers.ChoiceField(Evaluation.Status.values)
    of = serializers.ChoiceField(
        StepScorer.Kind.values, allow_blank=True, help_text="The kind of scorer that was made."
    )
    labels = serializers.IntegerField(allow_null=True, help_text="Labels that a training learned from.")
    set = serializers.CharField(allow_blank=True, help_text="Traces that it was measured on.")
    auc = EstimateOut(allow_null=True, help_text="The step AUC that an evaluation found.")
    beats_baseline = serializers.BooleanField(
        allow_null=True, help_text="Whether an evaluation found that the PRM beats its baseline."
    )
    note = serializers.CharField(allow_blank=True)
    at_close_of = RoundRef(allow_null=True, help_text="The round whose closing started a training.")


class LeaderboardRow(serializers.Serializer):
    """The newest evaluation of a scorer on a set."""

    evaluation = serializers.IntegerField()
    prm = PrmRef()
    at = serializers.DateTimeField()
    threshold = serializers.FloatField()
    labels = serializers.IntegerField(allow_null=True, help_text="Its training run here. Null: trained elsewhere.")
    selector = serializers.BooleanField()
    beats_baseline = serializers.BooleanField(allow_null=True)
    never_wrong = serializers.BooleanField(help_text="It judges no step wrong at its threshold.")
    origin_known = serializers.BooleanField(help_text="False: it may have learned from these problems.")
    current = serializers.BooleanField(help_text="Measured on the current state of the set. Others cannot be compared.")
    figures = FigureOut(many=True)


class Leaderboard(serializers.Serializer):
    set = EvaluationSetOut()
    rows = LeaderboardRow(many=True, help_text="The highest step AUC first.")


class ModelHistoryOut(serializers.Serializer):
    events = ModelEvent(many=True, help_text="The newest hundred of each kind, newest first.")
    selector = PrmRef(allow_null=True)
    learning = LearningOut(allow_null=True)
    leaderboards = Leaderboard(many=True, help_text="The newest set first.")
