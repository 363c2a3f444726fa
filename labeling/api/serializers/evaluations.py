"""Evaluation sets, evaluations, and two of them side by side."""

from typing import Any

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.one_line import OneLine
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.estimates import AsOf, EstimateOut
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.rounds import PrmRef
from labeling.api.short_lists import ShortList
from labeling.models import Evaluation, EvaluationSet, Trace
from labeling.queries.step_scorers import knows_origin
from labeling.queries.training import advised_threshold


class EvaluationSetIn(serializers.Serializer):
    """`labels`: human labels of `round_ids` on the evaluation split. `recorded`: first errors from imports, on held-out
    problems. It takes traces of one source, or of all if it is empty.
    """

    name = OneLine(max_length=100)
    source = serializers.ChoiceField(EvaluationSet.Source.values)  # type: ignore[assignment]  # also a name of DRF
    round_ids = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), default=list, max_length=1000
    )
    recorded = serializers.CharField(max_length=100, allow_blank=True, default="")


class EvaluationSetOut(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    source = serializers.ChoiceField(EvaluationSet.Source.values)  # type: ignore[assignment]  # also a name of DRF
    filter = serializers.DictField(child=serializers.JSONField())
    traces = serializers.IntegerField()
    problems = serializers.IntegerField()
    erroneous = serializers.IntegerField()
    set_hash = serializers.CharField()
    grader_versions = serializers.ListField(child=serializers.CharField())
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()


class RecordedSource(serializers.Serializer):
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # also a name of DRF
    traces = serializers.IntegerField()
    erroneous = serializers.IntegerField()


class RecordedSourcesOut(AsOf):
    recorded = RecordedSource(many=True)


class EvaluationSetsOut(serializers.Serializer):
    results = EvaluationSetOut(many=True)
    recorded = RecordedSource(many=True, help_text="What a set of recorded first errors could contain.")


class EvaluationIn(serializers.Serializer):
    prm = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    evaluation_set = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    threshold = serializers.FloatField(min_value=0.01, max_value=0.99, default=0.5)
    best_of = serializers.IntegerField(min_value=0, max_value=256, default=16)


class BrowseEvaluationsIn(serializers.Serializer):
    evaluation_set = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)
    prm = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)


class CompareIn(serializers.Serializer):
    """Two evaluations of the project on the same set."""

    left = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    right = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class FigureOut(EstimateOut):
    name = serializers.CharField()
    baseline = serializers.FloatField(
        allow_null=True, help_text="What position and length alone achieve on the same traces."
    )
    gain = EstimateOut(
        allow_null=True,
        default=None,
        read_only=True,
        help_text="How much higher the figure is than the baseline's, resampled by problem. Null in older reports.",
    )
    standing = serializers.ChoiceField(
        ["better", "worse", "undecided"],
        allow_null=True,
        default=None,
        read_only=True,
        help_text="The PRM against the baseline: better or worse if the whole interval of the gain is above or "
        "below 0. Null without an interval, and in older reports.",
    )
    lower_is_better = serializers.BooleanField(help_text="If true, the PRM is better where the gain is below 0.")


class ReliabilityBin(serializers.Serializer):
    low = serializers.FloatField()
    high = serializers.FloatField()
    score = serializers.FloatField(allow_null=True)
    right = EstimateOut()


class OperatingPoint(serializers.Serializer):
    """The result of a threshold. Steps that score below it are judged wrong."""

    threshold = serializers.FloatField()
    judged_wrong = serializers.IntegerField(help_text="Rated steps that score below the threshold.")
    found = serializers.IntegerField(help_text="Of those, the steps that people found wrong.")
    precision = serializers.FloatField(
        allow_null=True, help_text="`found` divided by `judged_wrong`. Null if none is judged wrong."
    )
    recall = serializers.FloatField(help_text="`found` divided by all wrong steps.")
    f1_negative = serializers.FloatField()
    processbench_f1 = serializers.FloatField(
        allow_null=True, help_text="Computed over whole traces. Null if all of them have an error, or none has."
    )


class BaselinePoint(serializers.Serializer):
    recall = serializers.FloatField()
    precision = serializers.FloatField()


class ThresholdsOut(serializers.Serializer):
    """At most about a hundred thresholds, including the one in use and the advised one. Empty if fewer than five rated
    steps are wrong, or fewer than five are right.
    """

    steps = serializers.IntegerField(help_text="Steps that people rated and the PRM scored.")
    wrong = serializers.IntegerField(help_text="Of those, the steps that people found wrong.")
    base_rate = serializers.FloatField(
        allow_null=True, help_text="The share of wrong steps: the precision of random guessing."
    )
    points = OperatingPoint(many=True, help_text="By rising threshold.")
    baseline = BaselinePoint(many=True, help_text="From position and length alone.")


class GroupOut(serializers.Serializer):
    group = serializers.CharField(allow_blank=True)
    traces = serializers.IntegerField()
    problems = serializers.IntegerField()
    auc = EstimateOut()
    first_error_accuracy = EstimateOut()
    processbench_f1 = EstimateOut()


class GroupsOut(serializers.Serializer):
    subject = GroupOut(many=True)
    level = GroupOut(many=True)
    generator = GroupOut(many=True)


class BestOfNOut(serializers.Serializer):
    problems = serializers.IntegerField()
    traces = serializers.IntegerField()
    sizes = serializers.ListField(child=serializers.IntegerField())
    curves = serializers.DictField(
        child=EstimateOut(many=True), help_text="By method of picking, with one entry per size."
    )


class LengthBinOut(serializers.Serializer):
    fewest = serializers.IntegerField()
    most = serializers.IntegerField()
    n = serializers.IntegerField()
    median = serializers.FloatField(help_text="Of the traces' scores, which are logarithms.")
    correct = serializers.FloatField()


class LengthOut(serializers.Serializer):
    correlation = serializers.FloatField(
        allow_null=True, help_text="Spearman's correlation of score and number of steps."
    )
    bins = LengthBinOut(many=True)


class EvaluationReportOut(serializers.Serializer):
    traces = serializers.IntegerField()
    problems = serializers.IntegerField()
    unscored = serializers.DictField(child=serializers.IntegerField(), help_text="By reason.")
    figures = FigureOut(many=True)
    said_wrong = serializers.IntegerField(
        allow_null=True,
        default=None,
        read_only=True,
        help_text="Traces in which it judges any step wrong at its threshold. Null in older reports.",
    )
    gain = EstimateOut(help_text="How much higher the step AUC is than the baseline's.")
    beats_baseline = serializers.BooleanField(allow_null=True, help_text="The interval of the gain is above 0.")
    thresholds = ThresholdsOut(allow_null=True, default=None, read_only=True, help_text="Null in older reports.")
    reliability = ReliabilityBin(many=True)
    groups = GroupsOut()
    best_of_n = BestOfNOut(allow_null=True)
    length = LengthOut()


class EvaluationSummary(Shape):
    id = serializers.IntegerField()
    status = serializers.ChoiceField(Evaluation.Status.values)
    prm = PrmRef(source="scorer")
    evaluation_set = EvaluationSetOut()
    threshold = serializers.FloatField()
    advised_threshold = serializers.FloatField(
        allow_null=True, help_text="The best threshold on the validation labels of its training. Null: unknown."
    )
    best_of = serializers.IntegerField()
    traces_total = serializers.IntegerField()
    traces_done = serializers.IntegerField()
    labels_used = serializers.IntegerField(
        source="scorer.training_run.labels_total",
        allow_null=True,
        help_text="The PRM's training run here. Null: trained elsewhere.",
    )
    learned_from = serializers.CharField(source="scorer.learned_from", allow_blank=True)
    origin_known = serializers.BooleanField(
        help_text="False: it is unknown what the PRM learned from, so it may have learned from these problems."
    )
    auc = EstimateOut(allow_null=True)
    beats_baseline = serializers.BooleanField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def advised_threshold_of(self, one: Evaluation) -> float | None:
        """The threshold that its training chose, without seeing this set."""
        return advised_threshold(one.scorer)

    def origin_known_of(self, one: Evaluation) -> bool:
        """For a row that was read together with its PRM's training."""
        return knows_origin(one.scorer)

    def auc_of(self, one: Evaluation) -> dict[str, Any] | None:
        """The step AUC of a finished evaluation."""
        return next((figure for figure in one.report.get("figures", []) if figure["name"] == "auc"), None)

    def beats_baseline_of(self, one: Evaluation) -> bool | None:
        """Whether the gain of a finished evaluation is above 0."""
        return one.report.get("beats_baseline")


class EvaluationOut(EvaluationSummary):
    report = EvaluationReportOut(allow_null=True, help_text="Null until the evaluation has succeeded.")

    def report_of(self, one: Evaluation) -> dict[str, Any] | None:
        """Empty until there is a report."""
        return one.report or None


class Disagreement(serializers.Serializer):
    """A trace with both PRMs' step scores. `distance` is the largest difference over its steps."""

    trace_id = serializers.IntegerField()
    problem = serializers.CharField()
    steps = serializers.ListField(child=serializers.CharField())
    outcome = serializers.ChoiceField(Trace.Outcome.values)
    first_error = serializers.IntegerField()
    left_scores = serializers.ListField(child=serializers.FloatField())
    right_scores = serializers.ListField(child=serializers.FloatField())
    distance = serializers.FloatField()


class DifferenceOut(EstimateOut):
    """The left figure minus the right one, both resampled together by problem."""

    name = serializers.CharField()
    ahead = serializers.ChoiceField(
        ["left", "right", "undecided"], allow_null=True, help_text="Null without an interval to decide it."
    )


class ComparisonOut(Shape):
    left = EvaluationOut()
    right = EvaluationOut()
    differences = DifferenceOut(many=True)
    disagreements = Disagreement(many=True)
