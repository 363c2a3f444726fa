"""Shapes of training runs, and of the PRM that a project's new rounds are offered first."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from labeling.api.answers import Shape, With
from labeling.api.one_line import OneLine
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.labels import RoundRef
from labeling.api.serializers.learning_curves import LearningCurveOut
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.rounds import MAX_SEED, PrmRef
from labeling.api.short_lists import ShortList
from labeling.configs import TrainerOptions, TrainingConfig
from labeling.formats.training import DTYPES, MOST_SYNTHETIC
from labeling.models import Round, StepScorer, TrainingRun
from labeling.queries.promotion_news import KINDS
from labeling.queries.training import advised_threshold, closes_of, rounds_by_id

MOST_LAYERS = 1000
MOST_SOURCES = 100


class NumberField(serializers.FloatField):
    """A number as it is stored: integers stay integers."""

    def to_representation(self, value: float) -> Any:
        """The number, unchanged."""
        return value


class PreviewTrainingIn(serializers.Serializer):
    """The labels that a run would learn from. The switches are listed in docs/training.md."""

    round_ids = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), allow_empty=True, max_length=1000
    )
    switches = serializers.DictField(child=serializers.CharField(max_length=40), default=dict)


class TaughtBy(serializers.Serializer):
    id = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, help_text="The id of a source of machine labels.")
    weight = serializers.FloatField(
        min_value=0.001, max_value=1, help_text="The weight of one of its steps; a person's step has 1."
    )


class TrainingRunIn(PreviewTrainingIn):
    name = OneLine(max_length=80, allow_blank=True, default="")
    base = serializers.CharField(max_length=100)
    method = serializers.ChoiceField(TrainingRun.Method.values, default=TrainingRun.Method.HEAD.value)
    target = serializers.ChoiceField(TrainingRun.Target.values, default=TrainingRun.Target.STEPS.value)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    synthetic_errors = serializers.IntegerField(
        min_value=0,
        max_value=MOST_SYNTHETIC,
        default=0,
        help_text="Wrong steps that the trainer generates for each right one; for lora and full.",
    )
    layers = serializers.IntegerField(
        min_value=0,
        max_value=MOST_LAYERS,
        default=0,
        help_text="The base is cut off after this many layers; 0: not cut off. For lora and full.",
    )
    sources = TaughtBy(  # type: ignore[call-arg]  # many takes it
        many=True,
        default=list,
        max_length=MOST_SOURCES,
        help_text="Machines whose marks are learned in addition to people's; only for steps.",
    )
    dtype = serializers.ChoiceField(
        DTYPES, allow_blank=True, default="", help_text="Number type; empty: what suits the worker's device best."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The validated values as one: `config`."""
        options = TrainerOptions(**{name: attrs.pop(name) for name in ("synthetic_errors", "layers", "dtype")})
        sources = {one["id"]: one["weight"] for one in attrs.pop("sources")}
        config = TrainingConfig(tuple(attrs.pop("round_ids")), **attrs, sources=sources, options=options)
        return {"config": config}


class LeftOutLabels(serializers.Serializer):
    """Finished labels outside the evaluation split that the run does not learn from, each counted under its first
    reason.
    """

    imported = serializers.IntegerField(help_text="Left out by its switch.")
    surplus = serializers.IntegerField(help_text="Left out by its switch.")
    hasty = serializers.IntegerField(help_text="Left out by its switch.")
    majority = serializers.IntegerField(help_text="Another label represents the trace, or the verdicts are tied.")
    other = serializers.IntegerField(
        help_text="On a problem that is held out or in an evaluation set, or changed after the labeler saw the scores."
    )


class TrainingPreviewOut(serializers.Serializer):
    """Labels of the chosen rounds: how many the run learns from, and what happens to the others."""

    labels = serializers.IntegerField()
    learned = serializers.IntegerField()
    problems = serializers.IntegerField(help_text="Problems of the labels that the run learns from.")
    steps = serializers.IntegerField(help_text="Rated steps that the run learns from.")
    wrong_steps = serializers.IntegerField()
    in_evaluation_split = serializers.IntegerField(help_text="Labels on problems that are only used to evaluate.")
    problems_in_evaluation_split = serializers.IntegerField()
    hasty = serializers.IntegerField(
        help_text="Labels with less active time per step than the project's floor, whether left out or not."
    )
    unfinished = serializers.IntegerField(help_text="Given up, or marked as a bad problem.")
    left_out = LeftOutLabels()
    right_answers = serializers.IntegerField(
        help_text="Among the labels that the run learns from, those of traces with a right answer. An outcome model "
        "reads only these and those of traces with a wrong answer."
    )
    wrong_answers = serializers.IntegerField()
    refused = serializers.CharField(
        allow_blank=True, help_text="Why training cannot start on these labels; empty: it can."
    )
    refused_outcomes = serializers.CharField(allow_blank=True, help_text="The same for an outcome model.")


class AtCloseIn(serializers.Serializer):
    closing = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="The id of an open round."
    )


class TrainableRound(serializers.Serializer):
    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(Round.Status.values)
    labels = serializers.IntegerField()


class MachineTeacher(serializers.Serializer):
    """A source of machine labels that a PRM may learn from."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(StepScorer.Kind.values)
    marks = serializers.IntegerField(help_text="Traces of the project that it has a row for; some rows are empty.")


class TrainingOptionsOut(serializers.Serializer):
    bases = serializers.ListField(child=serializers.CharField(), help_text="The names that the operator gave them.")
    rounds = TrainableRound(many=True)
    sources = MachineTeacher(many=True, help_text="Sources with marks on traces of the project.")


class LearnedRound(serializers.Serializer):
    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)


class LearnedSource(serializers.Serializer):
    """A machine whose marks the run learned from in addition to people's."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(StepScorer.Kind.values)
    weight = serializers.FloatField()


class TrainedPrm(PrmRef):
    status = serializers.ChoiceField(StepScorer.Status.values)


class TrainingFigure(EstimateOut):
    """A figure on the run's own test problems (`n` in steps, an interval over problems) next to what position and
    length alone achieve. Runs from before this was measured have none (`no_method`).
    """

    name = serializers.CharField()
    baseline = serializers.FloatField(allow_null=True)


class TrainingRunSummary(Shape):
    """A run prepared by `with_rounds`."""

    id = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(TrainingRun.Status.values)
    stage = serializers.ChoiceField(TrainingRun.Stage.values)
    base = serializers.CharField()
    method = serializers.ChoiceField(TrainingRun.Method.values)
    target = serializers.ChoiceField(TrainingRun.Target.values)
    rounds = LearnedRound(many=True)
    switches = serializers.DictField(child=serializers.CharField())
    seed = serializers.IntegerField()
    synthetic_errors = serializers.IntegerField(
        source="trainer_options.synthetic_errors",
        help_text="Generated by the trainer for each right step; they are not labels.",
    )
    layers = serializers.IntegerField(
        source="trainer_options.layers", help_text="The base was cut off after this many layers; 0: not cut off."
    )
    dtype = serializers.CharField(
        source="trainer_options.dtype", allow_blank=True, help_text="The number type that was chosen; empty: none was."
    )
    labels = serializers.IntegerField(source="labels_total", help_text="0 until a worker has started it.")
    prm = TrainedPrm(allow_null=True)
    figures = TrainingFigure(many=True)
    error = serializers.CharField(allow_blank=True)
    cancel_requested = serializers.BooleanField()
    created_by = PersonRef(allow_null=True)
    at_close_of = RoundRef(allow_null=True, help_text="The round whose close started it.")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def figures_of(self, run: TrainingRun) -> list[dict[str, Any]]:
        """Null until it has finished."""
        return [{**({} if "low" in one else _without_interval(one)), **one} for one in run.report.get("figures", [])]


def _without_interval(figure: dict[str, Any]) -> dict[str, Any]:
    return {"low": None, "high": None, "no_interval": None if figure["value"] is None else "no_method"}


class TrainingAtClose(Shape):
    """The progress of the training that a round's close started."""

    id = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(TrainingRun.Status.values)
    stage = serializers.ChoiceField(TrainingRun.Stage.values)
    cancel_requested = serializers.BooleanField()
    error = serializers.CharField(allow_blank=True)
    said = serializers.CharField(allow_blank=True, help_text="The last line of its log.")
    created_at = serializers.DateTimeField()

    def said_of(self, run: TrainingRun) -> str:
        """Empty until a worker has started it."""
        return run.log[-1] if run.log else ""


class TrainingAtCloseOut(serializers.Serializer):
    """Whether a PRM is trained on all labels when a round closes, and what happened at the newest close with labels."""

    on = serializers.BooleanField()
    has_base = serializers.BooleanField(help_text="The operator has configured a base to train from.")
    round = RoundRef(allow_null=True, help_text="The round that was closed; null: none was closed while this was on.")
    closed_at = serializers.DateTimeField(allow_null=True)
    due = serializers.BooleanField(help_text="Its training has not started yet, but will.")
    behind = serializers.IntegerField(allow_null=True, help_text="The run that it waits for.")
    run = TrainingAtClose(allow_null=True)
    error = serializers.CharField(allow_blank=True, help_text="Why no training was started; it is not tried again.")
    refused = serializers.CharField(
        allow_blank=True, help_text="Why no training would start if the round asked for as `closing` were closed now."
    )


class TrainingDoing(Shape):
    """What a run is doing in its current stage, and how much of that is done."""

    what = serializers.ChoiceField(TrainingRun.Doing.values)
    done = serializers.IntegerField()
    total = serializers.IntegerField(help_text="0: not known before the end; if `done` is 0 too, nothing is counted.")
    since = serializers.DateTimeField(help_text="When it began.")
    seconds_left = serializers.IntegerField(allow_null=True, help_text="At the speed of the last minute.")

    def seconds_left_of(self, doing: dict[str, Any]) -> int | None:
        """Seconds left for this part only, not for what follows."""
        speed = doing["per_second"]
        return round((doing["total"] - doing["done"]) / speed) if speed and doing["total"] else None


class CurvePoint(serializers.Serializer):
    curve = serializers.CharField()
    at = NumberField(help_text="Optimiser steps, or the number of the trial.")
    value = serializers.FloatField()


class TrainingRunOut(TrainingRunSummary):
    doing = TrainingDoing(
        allow_null=True, help_text="Null while no worker works on it, and in stages without progress."
    )
    points = CurvePoint(many=True)
    log = serializers.ListField(child=serializers.CharField())
    data = serializers.DictField(  # type: ignore[assignment]  # the name of a property that no output serializer uses
        child=serializers.JSONField(), help_text="Counts and SHA-256 of the rows."
    )
    sources = LearnedSource(many=True)
    snapshot_id = serializers.CharField(allow_blank=True, help_text="Runs with the same id learn from the same rows.")
    learning_curve = LearningCurveOut(allow_null=True)
    report = serializers.JSONField(help_text="The trainer's report (docs/training.md).")

    def doing_of(self, run: TrainingRun) -> dict[str, Any] | None:
        """The current activity in stages that have progress. The check after the training is a stage of its own."""
        counting = run.stage in (TrainingRun.Stage.READING, TrainingRun.Stage.TRAINING)
        return run.doing or None if run.status == TrainingRun.Status.RUNNING and counting else None

    def learning_curve_of(self, run: TrainingRun) -> dict[str, Any] | None:
        """Null if this method of training has no curve, or there were too few labels."""
        return run.report.get("learning_curve")


class PromoteIn(serializers.Serializer):
    prm = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    note = serializers.CharField(max_length=500, allow_blank=True, default="")


class RollBackIn(serializers.Serializer):
    undoes = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST_ID,
        help_text="The id of the promotion that you saw and take back. If another one applies by now, the answer is "
        "409 `promotion_changed`. If left out, the newest is taken back.",
    )


class PromotionNewsIn(serializers.Serializer):
    prm = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class PromotionNews(Shape):
    """One reason against promoting a PRM. `evaluation` is the PRM's own, `other` the selector's on the same set."""

    kind = serializers.ChoiceField(KINDS)
    evaluation = serializers.IntegerField(allow_null=True)
    other = serializers.IntegerField(allow_null=True)
    evaluation_set = serializers.CharField(allow_blank=True)
    threshold = serializers.FloatField(allow_null=True)
    advised_threshold = serializers.FloatField(allow_null=True)
    worse = serializers.ListField(child=serializers.CharField(), help_text="Figures in which the selector is better.")
    better = serializers.ListField(child=serializers.CharField())

    def evaluation_of(self, one: dict[str, Any]) -> int | None:
        """The PRM's evaluation."""
        return one["left"].pk if "left" in one else None

    def other_of(self, one: dict[str, Any]) -> int | None:
        """The selector's evaluation."""
        return one["right"].pk if "right" in one else None

    def evaluation_set_of(self, one: dict[str, Any]) -> str:
        """The set's name."""
        return one["left"].evaluation_set.name if "left" in one else ""

    def threshold_of(self, one: dict[str, Any]) -> float | None:
        """The threshold below which a step was judged wrong."""
        return one["left"].threshold if "left" in one else None

    def advised_threshold_of(self, one: dict[str, Any]) -> float | None:
        """The threshold that its training chose."""
        return advised_threshold(one["left"].scorer) if "left" in one else None

    def worse_of(self, one: dict[str, Any]) -> list[str]:
        """The PRM's figures, by name."""
        return one.get("worse", [])

    def better_of(self, one: dict[str, Any]) -> list[str]:
        """The selector's figures, by name."""
        return one.get("better", [])


class PromotionNewsOut(serializers.Serializer):
    results = PromotionNews(many=True, help_text="The worst first; empty if nothing speaks against it.")


class PromotionOut(serializers.Serializer):
    """`prm` is the selector from then on (null: none); `before` was the selector until then."""

    id = serializers.IntegerField()
    prm = PrmRef(source="scorer", allow_null=True)
    before = PrmRef(allow_null=True)
    by = PersonRef()
    at = serializers.DateTimeField()
    note = serializers.CharField(allow_blank=True)


def with_rounds(runs: Sequence[TrainingRun]) -> list[With]:
    """Runs with the rounds that they learned from, and the one whose close started them. Two queries."""
    rounds, closes = rounds_by_id(runs), closes_of(run.pk for run in runs)
    return [
        With(
            run,
            rounds=[rounds[pk] for pk in run.round_ids if pk in rounds],
            at_close_of=closes.get(run.pk),
        )
        for run in runs
    ]
