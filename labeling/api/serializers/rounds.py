"""Shapes of rounds and of the choice of traces for one."""

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

MAX_SEED = (1 << 53) - 1  # exact in a browser
LARGEST_SCORE = 1e9
MOST_PICKED = 500  # traces by their ids
PLAIN_SOURCES = ["all", "filter", "sample", "audit", "disagreement"]


class OverlapFields(serializers.Serializer):
    """How many labelers a round's tasks are for. Nothing said: as the project has it; a bare `overlap` is fixed."""

    # Validated the three are one: `overlap`, an AskedOverlap.

    overlap = serializers.IntegerField(min_value=1, max_value=20, allow_null=True, default=None)
    overlap_most = serializers.IntegerField(
        min_value=0,
        max_value=20,
        allow_null=True,
        default=None,
        help_text="How many labelers are asked at most where they differ; 0: the overlap is fixed.",
    )
    overlap_needed = serializers.IntegerField(
        min_value=0,
        max_value=20,
        allow_null=True,
        default=None,
        help_text="How many labelers must agree about the first error; 0: the overlap is fixed.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        most, needed = attrs.pop("overlap_most"), attrs.pop("overlap_needed")
        return attrs | {"overlap": AskedOverlap(attrs["overlap"], needed=needed, most=most)}


class SaidFilters(serializers.Serializer):
    """What labels and a PRM say of a trace; what is empty narrows nothing."""

    first_error = serializers.ChoiceField(
        list(FIRST_ERRORS),
        required=False,
        allow_blank=True,
        help_text="As labels say: the newest ruling, else most of them; `differ`: as many say one thing as another.",
    )
    error_min = serializers.IntegerField(
        min_value=0, max_value=10_000, required=False, allow_null=True, help_text="At this step, from 0, or later."
    )
    error_max = serializers.IntegerField(
        min_value=0, max_value=10_000, required=False, allow_null=True, help_text="At this step, from 0, or earlier."
    )
    score_min = serializers.FloatField(
        min_value=-LARGEST_SCORE,
        max_value=LARGEST_SCORE,
        required=False,
        allow_null=True,
        help_text="The trace's: a probability where the PRM gives those.",
    )
    score_max = serializers.FloatField(
        min_value=-LARGEST_SCORE, max_value=LARGEST_SCORE, required=False, allow_null=True
    )
    scorer = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, required=False, allow_null=True, help_text="Whose scores; a list's selector."
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        """NaN is neither below a bound nor above it."""
        faulty = [name for name in OF_SCORES if attrs.get(name) is not None and math.isnan(attrs[name])]
        if faulty:
            raise serializers.ValidationError({name: ["A number is expected."] for name in faulty})
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
        help_text="These traces alone.",
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        """Validated it is a `configs.TraceFilter`."""
        attrs = super().validate(attrs)
        if asks(attrs, OF_SCORES) and not attrs.get("scorer"):
            # A promotion meanwhile would make another filter of it.
            raise serializers.ValidationError({"scorer": ["Say whose scores."]})
        return configs.TraceFilter(**{**attrs, "ids": tuple(sorted(set(attrs.get("ids", ()))))})


class ByMachineIn(serializers.Serializer):
    """How an audit or a round of disagreements draws its traces: by which step scorer's marks."""

    scorer = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    other = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        allow_null=True,
        default=None,
        help_text="Of disagreements: another step scorer; null: people's labels.",
    )
    control_share = serializers.FloatField(min_value=0, max_value=0.9, default=0.1)
    miss_costs = serializers.FloatField(
        min_value=0.1, max_value=10, default=1.0, help_text="How many false alarms an error is worth that it lets pass."
    )
    bar = serializers.FloatField(
        min_value=0.5,
        max_value=0.999,
        allow_null=True,
        default=None,
        help_text="Of an audit: the agreement that lets marks be accepted in bulk; named now or never.",
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        """Validated it is a `configs.ByMachine`, which knows no names yet."""
        scorer, other = attrs.pop("scorer"), attrs.pop("other")
        if scorer == other:
            raise serializers.ValidationError({"other": ["Choose another one: it agrees with itself."]})
        refs = [one and configs.ScorerRef(one, "", "") for one in (scorer, other)]
        return configs.ByMachine(refs[0], refs[1], **attrs)


class ShownMarksIn(serializers.Serializer):
    """What labelers see of a machine: the marks of a step scorer, after their label or beside the steps."""

    source = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)  # type: ignore[assignment]  # a name of DRF
    when = serializers.ChoiceField(["after", "beside"], default="after")
    blind_share = serializers.FloatField(
        min_value=0.1, max_value=0.9, default=0.5, help_text="Of `beside`: of so many tasks nothing is shown."
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        """Validated it is a `configs.ShownMarks`."""
        return configs.ShownMarks(**attrs)


class ChooseTracesIn(serializers.Serializer):
    """Which traces: all, those that fit a filter, or a seeded random sample of those; of what a machine marked, a
    random sample that is kept apart (`audit`), or what it and others disagree on (`disagreement`)."""

    # Validated they are one: `config`.

    source = serializers.ChoiceField(PLAIN_SOURCES)  # type: ignore[assignment]  # also a name of DRF
    by_machine = ByMachineIn(allow_null=True, default=None)
    filter = TraceFilter(default=configs.TraceFilter)
    sample_size = serializers.IntegerField(min_value=1, max_value=10_000_000, allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["source"] in configs.DRAWN and attrs["sample_size"] is None:
            raise serializers.ValidationError({"sample_size": "Say how many traces to draw."})
        if attrs["source"] == "audit" and asks(attrs["filter"].as_json(), OF_ERRORS):
            # The sample's own labels would change what it speaks for.
            said = "An audit is drawn by what was known before anybody labeled: leave out the first error."
            raise serializers.ValidationError({"filter": {"first_error": [said]}})
        by_machine = attrs["source"] in ("audit", "disagreement")
        if by_machine != (attrs["by_machine"] is not None):
            said = "Say by whose marks." if by_machine else "Only an audit and a round of disagreements take this."
            raise serializers.ValidationError({"by_machine": [said]})
        asked = {name: attrs.pop(name) for name in ("source", "filter", "sample_size", "seed", "by_machine")}
        key = attrs.pop("client_key", None)
        return attrs | {"config": configs.PlainConfig.of(**asked, client_key=str(key) if key else None)}


class ProtocolField(serializers.ChoiceField):
    """How a round's traces are labeled."""

    def __init__(self, **about: Any) -> None:
        """Blank where nobody chose."""
        words = "How traces are labeled; blank: every_step for runs of agents, else first_error."
        names = [FIRST_ERROR.name, EVERY_STEP.name]
        super().__init__(names, allow_blank=True, default="", help_text=words, **about)


class OpenRoundIn(OverlapFields, ChooseTracesIn):
    """A plain round: which traces are put on the queue, and for how many labelers."""

    name = OneLine(max_length=120, allow_blank=True, default="")
    priority = serializers.IntegerField(min_value=-1000, max_value=1000, default=0)
    protocol = ProtocolField()
    machine = ShownMarksIn(allow_null=True, default=None)
    client_key = serializers.UUIDField(
        allow_null=True, default=None, help_text="Of one press of the button: sent again, it opens no second round."
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
    """What a round reads since its traces were there: those up to the newest, and how they are graded."""

    last_trace_id = serializers.IntegerField()
    problems = serializers.IntegerField(allow_null=True, required=False)
    grader = GraderOut(allow_null=True, required=False)


class ByMachineOut(serializers.Serializer):
    """How an audit or a round of disagreements drew its traces. `pool`: how many the scorer had spoken of."""

    scorer = AskedPrm()
    other = AskedPrm(allow_null=True)
    control_share = serializers.FloatField()
    miss_costs = serializers.FloatField()
    bar = serializers.FloatField(allow_null=True)
    pool = serializers.IntegerField()
    grader = serializers.CharField(allow_blank=True)


class ShownMarksOut(serializers.Serializer):
    """What labelers see of a machine, and when."""

    source = serializers.IntegerField()  # type: ignore[assignment]  # a name of DRF
    when = serializers.ChoiceField(["after", "beside"])
    blind_share = serializers.FloatField()


class RoundConfigOut(serializers.Serializer):
    """What was asked of the round: which traces, and for a staged round how workers come by them.

    Each kind of round has its own part of this; imported and screening rounds were asked for nothing.
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
    paths_needed = serializers.IntegerField(required=False, help_text="So many paths must come to one answer; 0: any.")
    paths_most = serializers.IntegerField(required=False, help_text="Labelers of a problem at most; 0: nobody more.")
    completions = serializers.IntegerField(required=False)
    neutral_may_be_chosen = serializers.BooleanField(required=False)
    step_cap = serializers.IntegerField(required=False)
    generator = NextStepIn(allow_null=True, required=False)
    prm = AskedPrm(allow_null=True, required=False)
    inputs = RoundInputsOut(allow_null=True, required=False)
    import_job = serializers.IntegerField(required=False, help_text="Of imported labels.")
    client_key = serializers.CharField(allow_null=True, required=False)


@extend_schema_field(RoundConfigOut)
class RoundConfigField(serializers.JSONField):
    """As the row keeps it (labeling.configs)."""


class ScheduleNextIn(serializers.Serializer):
    """When workers prepare the next round."""

    at = serializers.IntegerField(
        min_value=1, max_value=100, allow_null=True, help_text="At which percentage of this one's labels; null: never."
    )


class NextRoundOut(serializers.Serializer):
    """What is to follow a round by itself."""

    at = serializers.IntegerField(source="next_at", allow_null=True, help_text="A percentage of its labels.")
    by = PersonRef(source="next_by", allow_null=True)
    error = serializers.CharField(
        source="next_error", allow_blank=True, help_text="Why it could not be prepared so far; it is tried again."
    )
    round = serializers.IntegerField(source="next_round_id", allow_null=True, help_text="The one that was prepared.")


class TrainingAtCloseOfRound(serializers.Serializer):
    """What a round's close began by itself, where its project trains at each close."""

    due = serializers.BooleanField(source="training_due", help_text="It has not begun yet, and will.")
    run = serializers.IntegerField(source="training_id", allow_null=True, help_text="The training that was begun.")
    name = serializers.CharField(source="training.name", default="", help_text="What that training is called.")
    error = serializers.CharField(
        source="training_error", allow_blank=True, help_text="Why none was begun; it is not tried again."
    )


class RoundOut(Shape):
    """A round that `with_counts` has been over."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField()
    status = serializers.ChoiceField(Round.Status.values)
    protocol = serializers.CharField(help_text="How its traces are labeled; it never changes.")
    priority = serializers.IntegerField()
    overlap = serializers.IntegerField(source="overlap_rule.base")
    overlap_most = serializers.IntegerField(
        source="overlap_rule.most",
        help_text="So many labelers are asked where labels differ; 0: the overlap is fixed.",
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
    prm = PrmRef(source="scorer", allow_null=True, help_text="Null for plain rounds, and where nothing is scored.")
    error = serializers.CharField(allow_blank=True, help_text="Why it failed, and the way out.")
    machine = ShownMarksOut(source="shown_marks", allow_null=True, help_text="What its labelers see of a machine.")
    working = serializers.BooleanField(help_text="Workers have it: its numbers change by themselves.")
    with_workers = serializers.BooleanField(help_text="As `working`, or it was stopped while they had it.")
    resume_to = serializers.ChoiceField(Round.Status.values, allow_blank=True, help_text="Where resuming leads.")
    has_selection = serializers.BooleanField(help_text="There is a preview of what was selected.")
    next = NextRoundOut(source="*")
    training = TrainingAtCloseOfRound(source="*")

    def working_of(self, round_: Round) -> bool:
        """By its status."""
        return round_.status in WORKING

    def with_workers_of(self, round_: Round) -> bool:
        """By the status that it has or had."""
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
