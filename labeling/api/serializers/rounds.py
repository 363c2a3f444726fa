"""Shapes of rounds, and of the choice of traces for a round."""

import math
from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling import configs
from labeling.api.answers import Shape, With
from labeling.api.one_line import OneLine
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.candidates import GenerateIn, NextStepIn
from labeling.api.serializers.mixes import MixFields
from labeling.api.serializers.people import PersonRef
from labeling.api.short_lists import ShortList
from labeling.configs.stages import WORKING
from labeling.models import Problem, Round, Trace
from labeling.protocol.every_step import EVERY_STEP
from labeling.protocol.first_error import FIRST_ERROR
from labeling.quality.consensus import AskedOverlap
from labeling.queries.error_and_score_filters import FIRST_ERRORS, OF_ERRORS, OF_SCORES, asks
from labeling.queries.rounds import round_counts
from labeling.queries.training_at_close import name_trainings

MAX_SEED = (1 << 53) - 1  # the largest that browsers hold exactly
LARGEST_SCORE = 1e9
MOST_PICKED = 500  # traces chosen by id
PLAIN_SOURCES = ["all", "filter", "sample", "audit", "disagreement"]


class OverlapFields(serializers.Serializer):
    """How many labelers get each task. By default, as set in the project; `overlap` alone is a fixed number."""

    # Validation turns the three into one value: `overlap`, an AskedOverlap.

    overlap = serializers.IntegerField(min_value=1, max_value=20, allow_null=True, default=None)
    overlap_most = serializers.IntegerField(
        min_value=0,
        max_value=20,
        allow_null=True,
        default=None,
        help_text="The largest number of labelers if labels differ; 0: the overlap is fixed.",
    )
    overlap_needed = serializers.IntegerField(
        min_value=0,
        max_value=20,
        allow_null=True,
        default=None,
        help_text="How many labelers must agree on the first error; 0: the overlap is fixed.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        most, needed = attrs.pop("overlap_most"), attrs.pop("overlap_needed")
        return attrs | {"overlap": AskedOverlap(attrs["overlap"], needed=needed, most=most)}


class SaidFilters(serializers.Serializer):
    """Conditions on a trace's labels and on a PRM's scores. Empty ones do not filter."""

    first_error = serializers.ChoiceField(
        list(FIRST_ERRORS),
        required=False,
        allow_blank=True,
        help_text="According to the newest ruling, otherwise the majority of labels; `differ`: there is no majority.",
    )
    error_min = serializers.IntegerField(
        min_value=0, max_value=10_000, required=False, allow_null=True, help_text="At this step (from 0) or later."
    )
    error_max = serializers.IntegerField(
        min_value=0, max_value=10_000, required=False, allow_null=True, help_text="At this step (from 0) or earlier."
    )
    score_min = serializers.FloatField(
        min_value=-LARGEST_SCORE,
        max_value=LARGEST_SCORE,
        required=False,
        allow_null=True,
        help_text="Bound on the trace's score: a probability if the PRM gives probabilities.",
    )
    score_max = serializers.FloatField(
        min_value=-LARGEST_SCORE, max_value=LARGEST_SCORE, required=False, allow_null=True
    )
    scorer = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, required=False, allow_null=True, help_text="Whose scores; default: selector."
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        """Refuse NaN, which is neither below a bound nor above it."""
        faulty = [name for name in OF_SCORES if attrs.get(name) is not None and math.isnan(attrs[name])]
        if faulty:
            raise serializers.ValidationError({name: ["Enter a number."] for name in faulty})
        return super().validate(attrs)


class TraceFilter(SaidFilters):
    outcome = serializers.ChoiceField(Trace.Outcome.values, required=False, allow_blank=True)
    generator = serializers.CharField(max_length=200, required=False, allow_blank=True)
    source = serializers.CharField(max_length=100, required=False, allow_blank=True)  # type: ignore[assignment]  # also a name of DRF
    subject = serializers.CharField(max_length=100, required=False, allow_blank=True)
    level = serializers.CharField(max_length=40, required=False, allow_blank=True)
    split = serializers.ChoiceField(Problem.Split.values, required=False, allow_blank=True)
    steps_min = serializers.IntegerField(min_value=1, max_value=10_000, required=False, allow_null=True)
    steps_max = serializers.IntegerField(min_value=1, max_value=10_000, required=False, allow_null=True)
    unlabeled_only = serializers.BooleanField(required=False)
    ids = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        max_length=MOST_PICKED,
        required=False,
        help_text="Only these traces.",
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The filter as a `configs.TraceFilter`."""
        attrs = super().validate(attrs)
        if asks(attrs, OF_SCORES) and not attrs.get("scorer"):
            # Without the scorer's id, a promotion in the meantime would change the filter.
            raise serializers.ValidationError({"scorer": ["Choose whose scores to use."]})
        return configs.TraceFilter(**{**attrs, "ids": tuple(sorted(set(attrs.get("ids", ()))))})


class ByMachineIn(serializers.Serializer):
    """How an audit or a round of disagreements draws its traces: from which step scorer's marks."""

    scorer = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    other = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        allow_null=True,
        default=None,
        help_text="For disagreements: another step scorer; null: people's labels.",
    )
    control_share = serializers.FloatField(min_value=0, max_value=0.9, default=0.1)
    miss_costs = serializers.FloatField(
        min_value=0.1, max_value=10, default=1.0, help_text="How many false alarms one missed error is worth."
    )
    bar = serializers.FloatField(
        min_value=0.5,
        max_value=0.999,
        allow_null=True,
        default=None,
        help_text="For an audit: the agreement from which marks may be accepted in bulk. It cannot be set later.",
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The values as a `configs.ByMachine`, which has no names yet."""
        scorer, other = attrs.pop("scorer"), attrs.pop("other")
        if scorer == other:
            raise serializers.ValidationError({"other": ["Choose another source: this one always agrees with itself."]})
        refs = [one and configs.ScorerRef(one, "", "") for one in (scorer, other)]
        return configs.ByMachine(refs[0], refs[1], **attrs)


class ShownMarksIn(serializers.Serializer):
    """The machine marks that labelers see: a step scorer's marks, after the label or next to the steps."""

    source = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)  # type: ignore[assignment]  # a name of DRF
    when = serializers.ChoiceField(["after", "beside"], default="after")
    blind_share = serializers.FloatField(
        min_value=0.1, max_value=0.9, default=0.5, help_text="For `beside`: the share of tasks without any marks."
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The values as a `configs.ShownMarks`."""
        return configs.ShownMarks(**attrs)


class ChooseTracesIn(serializers.Serializer):
    """Which traces: all, those that match a filter, or a seeded random sample of those. Of the traces that a machine
    marked: a random sample that is kept apart (`audit`), or those on which it disagrees with others (`disagreement`).
    """

    # Validation turns the fields into one value: `config`.

    source = serializers.ChoiceField(PLAIN_SOURCES)  # type: ignore[assignment]  # also a name of DRF
    by_machine = ByMachineIn(allow_null=True, default=None)
    filter = TraceFilter(default=configs.TraceFilter)
    sample_size = serializers.IntegerField(min_value=1, max_value=10_000_000, allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["source"] in configs.DRAWN and attrs["sample_size"] is None:
            raise serializers.ValidationError({"sample_size": "Enter how many traces to draw."})
        if attrs["source"] == "audit" and asks(attrs["filter"].as_json(), OF_ERRORS):
            # Otherwise the sample's own labels would change the population that it represents.
            said = "An audit is drawn by what was known before anyone labeled: remove the filter on the first error."
            raise serializers.ValidationError({"filter": {"first_error": [said]}})
        by_machine = attrs["source"] in ("audit", "disagreement")
        if by_machine != (attrs["by_machine"] is not None):
            said = "Choose whose marks to use." if by_machine else "Only audits and rounds of disagreements take this."
            raise serializers.ValidationError({"by_machine": [said]})
        asked = {name: attrs.pop(name) for name in ("source", "filter", "sample_size", "seed", "by_machine")}
        key = attrs.pop("client_key", None)
        return attrs | {"config": configs.PlainConfig.of(**asked, client_key=str(key) if key else None)}


class ProtocolField(serializers.ChoiceField):
    """The protocol by which a round's traces are labeled."""

    def __init__(self, **about: Any) -> None:
        """Blank if nobody chose a protocol."""
        words = "How traces are labeled; blank: every_step for agents' runs, first_error for others."
        names = [FIRST_ERROR.name, EVERY_STEP.name]
        super().__init__(names, allow_blank=True, default="", help_text=words, **about)


class OpenRoundIn(OverlapFields, ChooseTracesIn):
    """A plain round: which traces are queued, and for how many labelers."""

    name = OneLine(max_length=120, allow_blank=True, default="")
    priority = serializers.IntegerField(min_value=-1000, max_value=1000, default=0)
    protocol = ProtocolField()
    machine = ShownMarksIn(allow_null=True, default=None)
    client_key = serializers.UUIDField(
        allow_null=True, default=None, help_text="Identifies one click: if sent again, no second round is opened."
    )


class RoundCounts(serializers.Serializer):
    tasks = serializers.IntegerField()
    labels_wanted = serializers.IntegerField()
    submitted = serializers.IntegerField()
    open = serializers.IntegerField()
    surplus = serializers.IntegerField()


class PrmRef(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class AskedPrm(PrmRef):
    fingerprint = serializers.CharField()


class GraderOut(serializers.Serializer):
    version = serializers.CharField()
    answer_kind = serializers.CharField()
    answer_tolerance = serializers.FloatField()


class RoundInputsOut(serializers.Serializer):
    """What a round has read since its traces existed: all up to the newest, and how they are graded."""

    last_trace_id = serializers.IntegerField()
    problems = serializers.IntegerField(allow_null=True, required=False)
    grader = GraderOut(allow_null=True, required=False)


class ByMachineOut(serializers.Serializer):
    """How an audit or a round of disagreements drew its traces. `pool`: traces that the scorer had marked."""

    scorer = AskedPrm()
    other = AskedPrm(allow_null=True)
    control_share = serializers.FloatField()
    miss_costs = serializers.FloatField()
    bar = serializers.FloatField(allow_null=True)
    pool = serializers.IntegerField()
    grader = serializers.CharField(allow_blank=True)


class ShownMarksOut(serializers.Serializer):
    """Which machine marks labelers see, and when."""

    source = serializers.IntegerField()  # type: ignore[assignment]  # a name of DRF
    when = serializers.ChoiceField(["after", "beside"])
    blind_share = serializers.FloatField()


class RoundConfigOut(serializers.Serializer):
    """The round's settings: which traces and, for a staged round, how workers obtain them.

    Each kind of round has its own part of this. Imported and screening rounds have no settings.
    """

    source = serializers.ChoiceField(  # type: ignore[assignment]  # also a name of DRF
        [*PLAIN_SOURCES, configs.STAGED, configs.PROBLEMS, "import"], required=False
    )
    filter = TraceFilter(required=False)
    sample_size = serializers.IntegerField(allow_null=True, required=False)
    by_machine = ByMachineOut(allow_null=True, required=False)
    seed = serializers.IntegerField(required=False)
    mode = serializers.ChoiceField(["per_problem", "global"], required=False)
    k = serializers.IntegerField(required=False)
    ratio = serializers.FloatField(required=False)
    per_problem_cap = serializers.IntegerField(allow_null=True, required=False)
    budget = serializers.IntegerField(allow_null=True, required=False)
    control_share = serializers.FloatField(required=False)
    mix = MixFields(required=False)
    grade = serializers.BooleanField(required=False)
    rescore = serializers.IntegerField(required=False)
    generate = GenerateIn(allow_null=True, required=False)
    paths = serializers.IntegerField(required=False, help_text="Labelers who each choose a path through a problem.")
    paths_needed = serializers.IntegerField(required=False, help_text="Paths that must reach the same answer; 0: any.")
    paths_most = serializers.IntegerField(required=False, help_text="The most labelers per problem; 0: no more.")
    completions = serializers.IntegerField(required=False)
    neutral_may_be_chosen = serializers.BooleanField(required=False)
    step_cap = serializers.IntegerField(required=False)
    generator = NextStepIn(allow_null=True, required=False)
    prm = AskedPrm(allow_null=True, required=False)
    inputs = RoundInputsOut(allow_null=True, required=False)
    import_job = serializers.IntegerField(required=False, help_text="The import that the labels came with.")
    client_key = serializers.CharField(allow_null=True, required=False)


@extend_schema_field(RoundConfigOut)
class RoundConfigField(serializers.JSONField):
    """The settings as stored in the row (labeling.configs)."""


class ScheduleNextIn(serializers.Serializer):
    """When workers prepare the next round."""

    at = serializers.IntegerField(
        min_value=1, max_value=100, allow_null=True, help_text="At this percentage of this round's labels; null: never."
    )


class NextRoundOut(serializers.Serializer):
    """The round that is prepared automatically after this one."""

    at = serializers.IntegerField(source="next_at", allow_null=True, help_text="A percentage of this round's labels.")
    by = PersonRef(source="next_by", allow_null=True)
    error = serializers.CharField(
        source="next_error", allow_blank=True, help_text="Why it could not be prepared so far; it is tried again."
    )
    round = serializers.IntegerField(source="next_round_id", allow_null=True, help_text="The round that was prepared.")


class TrainingAtCloseOfRound(serializers.Serializer):
    """The training that the round's close started automatically, if its project trains at each close."""

    due = serializers.BooleanField(source="training_due", help_text="The training has not started yet, but will.")
    run = serializers.IntegerField(source="training_id", allow_null=True, help_text="The training that was started.")
    name = serializers.CharField(source="training.name", default="", help_text="The training run's name.")
    error = serializers.CharField(
        source="training_error", allow_blank=True, help_text="Why no training was started; it is not tried again."
    )


class RoundOut(Shape):
    """A round prepared by `with_counts`."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField()
    status = serializers.ChoiceField(Round.Status.values)
    protocol = serializers.CharField(help_text="How its traces are labeled; it never changes.")
    priority = serializers.IntegerField()
    overlap = serializers.IntegerField(source="overlap_rule.base")
    overlap_most = serializers.IntegerField(
        source="overlap_rule.most",
        help_text="The largest number of labelers if labels differ; 0: the overlap is fixed.",
    )
    overlap_needed = serializers.IntegerField(source="overlap_rule.needed", help_text="0: the overlap is fixed.")
    seed = serializers.IntegerField()
    config = RoundConfigField()
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()
    opened_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    counts = RoundCounts()
    imported = serializers.BooleanField()
    staged = serializers.BooleanField(source="is_staged", help_text="Workers prepare it, and a person publishes it.")
    prm = PrmRef(source="scorer", allow_null=True, help_text="Null for plain rounds, and if nothing is scored.")
    error = serializers.CharField(allow_blank=True, help_text="Why it failed, and what to do about it.")
    machine = ShownMarksOut(source="shown_marks", allow_null=True, help_text="Which machine marks its labelers see.")
    working = serializers.BooleanField(help_text="Workers are on it, so its numbers keep changing.")
    with_workers = serializers.BooleanField(help_text="`working`, or stopped while workers were on it.")
    resume_to = serializers.ChoiceField(Round.Status.values, allow_blank=True, help_text="The status after resuming.")
    has_selection = serializers.BooleanField(help_text="A preview of the selected traces exists.")
    next = NextRoundOut(source="*")
    training = TrainingAtCloseOfRound(source="*")

    def working_of(self, round_: Round) -> bool:
        """Whether workers work on it now, according to its status."""
        return round_.status in WORKING

    def with_workers_of(self, round_: Round) -> bool:
        """Whether it has or had a status in which workers work on it."""
        return place_of(round_) in WORKING

    def has_selection_of(self, round_: Round) -> bool:
        """Of a staged round that came so far."""
        return round_.selection is not None


def place_of(round_: Round) -> str:
    """The status that a round has, or had when it was paused or failed."""
    stopped = round_.status in (Round.Status.PAUSED, Round.Status.FAILED)
    return round_.resume_to if stopped and round_.resume_to else round_.status


def with_counts(rounds: Iterable[Round]) -> list[With]:
    """Rounds with what was counted of each, which takes two queries for all of them; a third names their trainings."""
    rounds = list(rounds)
    name_trainings(rounds)
    counts = round_counts(rounds)
    return [With(round_, counts={"tasks": round_.task_count, **counts[round_.pk]}) for round_ in rounds]
