"""The shape of a project's models on one time line, and of its leaderboards."""

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
    """Something that happened to a model. `made`: connected, registered or imported."""

    kind = serializers.ChoiceField(KINDS)
    id = serializers.IntegerField(help_text="Of the scorer, the training, the evaluation or the promotion.")
    at = serializers.DateTimeField()
    by = PersonRef(allow_null=True)
    prm = PrmRef(allow_null=True, help_text="Null: a training that made none, or nothing selects any more.")
    status = serializers.ChoiceField(Evaluation.Status.values)
    of = serializers.ChoiceField(StepScorer.Kind.values, allow_blank=True, help_text="What kind of scorer was made.")
    labels = serializers.IntegerField(allow_null=True, help_text="That a training learned from.")
    set = serializers.CharField(allow_blank=True, help_text="That was measured on.")
    auc = EstimateOut(allow_null=True, help_text="Of steps, as an evaluation found it.")
    note = serializers.CharField(allow_blank=True)
    at_close_of = RoundRef(allow_null=True, help_text="The round whose close began a training.")


class LeaderboardRow(serializers.Serializer):
    """The newest evaluation of a scorer on a set."""

    evaluation = serializers.IntegerField()
    prm = PrmRef()
    at = serializers.DateTimeField()
    threshold = serializers.FloatField()
    labels = serializers.IntegerField(allow_null=True, help_text="Of its training here; null: from elsewhere.")
    selector = serializers.BooleanField()
    beats_baseline = serializers.BooleanField(allow_null=True)
    never_wrong = serializers.BooleanField(help_text="It judges no step wrong at its threshold.")
    origin_known = serializers.BooleanField(help_text="False: it may have learned from these problems.")
    current = serializers.BooleanField(help_text="Measured on the set as it is; others do not compare.")
    figures = FigureOut(many=True)


class Leaderboard(serializers.Serializer):
    set = EvaluationSetOut()
    rows = LeaderboardRow(many=True, help_text="The highest step AUC first.")


class ModelHistoryOut(serializers.Serializer):
    events = ModelEvent(many=True, help_text="The newest hundred of each kind, newest first.")
    selector = PrmRef(allow_null=True)
    learning = LearningOut(allow_null=True)
    leaderboards = Leaderboard(many=True, help_text="The newest set first.")
