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
    submitted = serializers.IntegerField(help_text="But for surplus ones; those left out by hand are among them.")
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
    """Of labels with a rated step, the share that took less than `floor_ms` of active time for each."""

    hasty = serializers.IntegerField()
    floor_ms = serializers.IntegerField()


class PartOut(serializers.Serializer):
    n = serializers.IntegerField()
    of = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)


class LocalisationOut(serializers.Serializer):
    """The PRM's first low step against the human's first error, over tasks with both an error and scores."""

    n = serializers.IntegerField()
    exact = serializers.FloatField(allow_null=True, help_text="A share of n.")
    within_1 = serializers.FloatField(allow_null=True, help_text="A share of n.")
    mean_distance = serializers.FloatField(allow_null=True, help_text="In steps, where the PRM has a low step.")
    no_low_step = serializers.IntegerField(help_text="Traces in which the PRM holds no step for wrong.")


@extend_schema_field(
    {"type": "array", "prefixItems": [{"type": "string", "format": "date"}, {"type": "integer"}], "items": False}
)
class DayCount(serializers.ListField):
    """A day (UTC) and how many labels it brought."""


class RoundReportOut(serializers.Serializer):
    """Figures of traces count each task once: of several labels by their majority, in a tie by what claims less."""

    round = ReportedOn()
    prm = ReportedPrm(allow_null=True)
    tasks = serializers.DictField(child=serializers.IntegerField(), help_text="By reason.")
    labels = LabelNumbers()
    finished = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()), help_text="By reason and finish reason."
    )
    false_alarms = PartOut(help_text="Wrong-answer tasks in which a human found none.")
    median_score = MedianScores()
    prm_misses = PartOut(help_text="First errors that the PRM takes for right.")
    localisation = LocalisationOut()
    dropped = serializers.DictField(child=serializers.IntegerField())
    shortfall = serializers.IntegerField()
    hasty = HastyOut(allow_null=True, help_text="Null in reports of rounds that were closed before it was counted.")
    give_up_rate = serializers.FloatField(allow_null=True, help_text="Of labels that count.")
    bad_problem_rate = serializers.FloatField(allow_null=True, help_text="Of labels that count.")
    intervals = serializers.DictField(
        child=EstimateOut(), help_text="Over problems, by the figure's name; none in older frozen reports."
    )
    active_minutes_per_error = serializers.FloatField(allow_null=True)
    time = TimeSpent(allow_null=True, help_text="Null in a report that was frozen before it was counted.")
    label_mix = serializers.DictField(child=serializers.IntegerField())
    by_day = serializers.ListField(child=DayCount(), help_text="[day (UTC), labels]")

    def get_fields(self) -> dict[str, Any]:
        """`yield` is a word of Python, so it cannot be declared above."""
        return {**super().get_fields(), "yield": serializers.DictField(child=YieldOut(), help_text="By reason.")}


class RoundNamed(serializers.Serializer):
    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(Round.Status.values)
    prm = PrmRef(source="scorer", allow_null=True)


class RoundReportNowOut(AsOf, RoundReportOut):
    """The report of one round: of a closed one as it was frozen."""


class ReportedRoundOut(serializers.Serializer):
    round = RoundNamed()
    report = RoundReportOut()


class RoundReportsOut(AsOf):
    results = ReportedRoundOut(many=True)


class FigureOfRound(serializers.Serializer):
    """What a figure is about, and which way is better; null: neither."""

    name = serializers.ChoiceField(list(FIGURES))
    group = serializers.ChoiceField(["found", "cost", "trust"])
    better = serializers.ChoiceField(["higher", "lower"], allow_null=True)
    is_share = serializers.BooleanField(help_text="Else active minutes.")


class RoundFigureOut(FigureOfRound):
    estimate = EstimateOut()


class ChoiceWorthOut(serializers.Serializer):
    """How many random labels those that the round chose were worth, as a training measured it."""

    run = serializers.IntegerField(
        allow_null=True, help_text="The newest training of a head that measured them, else that learned from the round."
    )
    labels = serializers.IntegerField(allow_null=True, help_text="That were chosen, of those it learned from.")
    random_labels = serializers.IntegerField(allow_null=True, help_text="That it could hold them against.")
    worth = EstimateOut(allow_null=True, help_text="Random labels; null where `because` says why it cannot be said.")
    at_least = serializers.IntegerField(allow_null=True, help_text="The low end, where it has no high one.")
    because = serializers.ChoiceField(BECAUSE, allow_null=True)


class RoundFiguresOut(AsOf):
    """A round as its labels are now; the report of a closed round stays as it was when that was closed."""

    figures = RoundFigureOut(many=True)
    trust = QualityFigure(many=True, help_text="Gold, agreement and haste under the project's rules.")
    worth = ChoiceWorthOut(allow_null=True, help_text="Null where the round chose nothing, or chance chose all.")


class CompareRoundsIn(serializers.Serializer):
    one = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="A round.")
    other = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A round compared with itself says nothing."""
        if attrs["one"] == attrs["other"]:
            raise serializers.ValidationError({"other": ["Choose two different rounds."]})
        return attrs


class ComparedFigure(FigureOfRound):
    one = EstimateOut()
    other = EstimateOut()
    difference = EstimateOut(help_text="How much higher it is in `other`.")
    mark = serializers.ChoiceField(
        MARKS, help_text="Of `other`; a direction only where the whole interval of the difference has it."
    )


class ComparedRoundsOut(AsOf):
    """Two rounds as their labels are now, a row a figure."""

    one = RoundNamed()
    other = RoundNamed()
    rows = ComparedFigure(many=True)
