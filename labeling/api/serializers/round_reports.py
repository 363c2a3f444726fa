"""Shapes of round reports."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.estimates import AsOf, EstimateOut
from labeling.api.serializers.home import QualityFigure
from labeling.api.serializers.rounds import PrmRef
from labeling.api.serializers.selection import SCALES, MedianScores
from labeling.api.serializers.time_spent import TimeSpent
from labeling.models import Round
from labeling.queries.choice_worth import BECAUSE
from labeling.queries.round_figures import FIGURES, MARKS
from labeling.statistics.intervals import NO_INTERVAL


class ReportedOn(serializers.Serializer):
    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    overlap = serializers.IntegerField()
    source = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # also a name of DRF
    mode = serializers.CharField(allow_null=True)
    k = serializers.IntegerField(allow_null=True)
    ratio = serializers.FloatField(allow_null=True)
    control_share = serializers.FloatField(allow_null=True)


class ReportedPrm(PrmRef):
    scale = serializers.ChoiceField(SCALES)


class LabelNumbers(serializers.Serializer):
    submitted = serializers.IntegerField(
        help_text="All except surplus labels. Labels that were excluded by hand are included."
    )
    surplus = serializers.IntegerField()


class YieldOut(serializers.Serializer):
    """Finished wrong-answer tasks of an arm, those in which an error was found, and the 95 % interval over problems."""

    n = serializers.IntegerField()
    found = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    clusters = serializers.IntegerField(allow_null=True, default=None, read_only=True)
    no_interval = serializers.ChoiceField(NO_INTERVAL, allow_null=True, default=None, read_only=True)


class HastyOut(EstimateOut):
    """Among labels with a rated step, the share with less than `floor_ms` of active time per step."""

    hasty = serializers.IntegerField()
    floor_ms = serializers.IntegerField()


class PartOut(serializers.Serializer):
    n = serializers.IntegerField()
    of = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)


class LocalisationOut(serializers.Serializer):
    """The PRM's first low step compared with the human's first error, over tasks with both an error and scores."""

    n = serializers.IntegerField()
    exact = serializers.FloatField(allow_null=True, help_text="A share of n.")
    within_1 = serializers.FloatField(allow_null=True, help_text="A share of n.")
    mean_distance = serializers.FloatField(
        allow_null=True, help_text="In steps, over traces in which the PRM has a low step."
    )
    no_low_step = serializers.IntegerField(help_text="Traces in which the PRM considers no step wrong.")


@extend_schema_field(
    {"type": "array", "prefixItems": [{"type": "string", "format": "date"}, {"type": "integer"}], "items": False}
)
class DayCount(serializers.ListField):
    """A day (UTC) and its number of labels."""


class RoundReportOut(serializers.Serializer):
    """Figures about traces count each task once: by majority or, in a tie, the verdict that claims less."""

    round = ReportedOn()
    prm = ReportedPrm(allow_null=True)
    tasks = serializers.DictField(child=serializers.IntegerField(), help_text="By reason.")
    labels = LabelNumbers()
    finished = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()), help_text="By reason and finish reason."
    )
    false_alarms = PartOut(help_text="Wrong-answer tasks in which the labelers found no error.")
    median_score = MedianScores()
    prm_misses = PartOut(help_text="First errors that the PRM considers right.")
    localisation = LocalisationOut()
    dropped = serializers.DictField(child=serializers.IntegerField())
    shortfall = serializers.IntegerField()
    hasty = HastyOut(allow_null=True, help_text="Null in reports of rounds that were closed before this was counted.")
    give_up_rate = serializers.FloatField(allow_null=True, help_text="Share of the labels that count.")
    bad_problem_rate = serializers.FloatField(allow_null=True, help_text="Share of the labels that count.")
    intervals = serializers.DictField(
        child=EstimateOut(), help_text="Intervals over problems, by the figure's name; empty in older frozen reports."
    )
    active_minutes_per_error = serializers.FloatField(allow_null=True)
    time = TimeSpent(allow_null=True, help_text="Null in reports that were frozen before this was counted.")
    label_mix = serializers.DictField(child=serializers.IntegerField())
    by_day = serializers.ListField(child=DayCount(), help_text="[day (UTC), labels]")

    def get_fields(self) -> dict[str, Any]:
        """The fields and `yield`, which cannot be declared above because it is a Python keyword."""
        return {**super().get_fields(), "yield": serializers.DictField(child=YieldOut(), help_text="By reason.")}


class RoundNamed(serializers.Serializer):
    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(Round.Status.values)
    prm = PrmRef(source="scorer", allow_null=True)


class RoundReportNowOut(AsOf, RoundReportOut):
    """The report of one round. A closed round's report is frozen."""


class ReportedRoundOut(serializers.Serializer):
    round = RoundNamed()
    report = RoundReportOut()


class RoundReportsOut(AsOf):
    results = ReportedRoundOut(many=True)


class FigureOfRound(serializers.Serializer):
    """What a figure is about, and which direction is better (null: neither)."""

    name = serializers.ChoiceField(list(FIGURES))
    group = serializers.ChoiceField(["found", "cost", "trust"])
    better = serializers.ChoiceField(["higher", "lower"], allow_null=True)
    is_share = serializers.BooleanField(help_text="A share; otherwise active minutes.")


class RoundFigureOut(FigureOfRound):
    estimate = EstimateOut()


class ChoiceWorthOut(serializers.Serializer):
    """How many random labels the round's chosen labels were worth, as measured by a training run."""

    run = serializers.IntegerField(
        allow_null=True,
        help_text="The newest training run of a head that measured them; otherwise the newest that learned from the "
        "round.",
    )
    labels = serializers.IntegerField(allow_null=True, help_text="Chosen labels among those that the run learned from.")
    random_labels = serializers.IntegerField(
        allow_null=True, help_text="Random labels that they could be compared with."
    )
    worth = EstimateOut(
        allow_null=True, help_text="In random labels; null if it cannot be computed, for the reason in `because`."
    )
    at_least = serializers.IntegerField(allow_null=True, help_text="The lower bound, if the interval has no upper one.")
    because = serializers.ChoiceField(BECAUSE, allow_null=True)


class RoundFiguresOut(AsOf):
    """A round as its labels are now. The report of a closed round stays as it was at the close."""

    figures = RoundFigureOut(many=True)
    trust = QualityFigure(many=True, help_text="Gold, agreement and haste, judged by the project's rules.")
    worth = ChoiceWorthOut(
        allow_null=True, help_text="Null if the round did not choose traces, or chose all of them at random."
    )


class CompareRoundsIn(serializers.Serializer):
    one = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="A round's id.")
    other = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse to compare a round with itself."""
        if attrs["one"] == attrs["other"]:
            raise serializers.ValidationError({"other": ["Choose two different rounds."]})
        return attrs


class ComparedFigure(FigureOfRound):
    one = EstimateOut()
    other = EstimateOut()
    difference = EstimateOut(help_text="How much higher the figure is in `other`.")
    mark = serializers.ChoiceField(
        MARKS,
        help_text="How `other` compares: a direction is given only if the whole interval of the difference lies on "
        "that side.",
    )


class ComparedRoundsOut(AsOf):
    """Two rounds as their labels are now, one row per figure."""

    one = RoundNamed()
    other = RoundNamed()
    rows = ComparedFigure(many=True)
