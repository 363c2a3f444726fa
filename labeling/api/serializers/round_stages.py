"""Shapes of rounds that workers prepare, of their progress, and of PRMs."""

from typing import Any

from rest_framework import serializers

from labeling import configs
from labeling.api.answers import Shape, With
from labeling.api.one_line import OneLine
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.candidates import GenerateIn, SampleCounts
from labeling.api.serializers.mixes import MixIn
from labeling.api.serializers.rounds import MAX_SEED, OverlapFields, ProtocolField, TraceFilter
from labeling.configs.stages import STAGES
from labeling.models import Round, StepScorer, TrainingRun
from labeling.selection import Mix, Rules

MOST_TASKS = 10_000_000
STAGE_STATES = ["waiting", "running", "done", "failed", "skipped"]
SCORER_KINDS = StepScorer.Kind.values
SCALES = ["probability", "log_ratio", ""]


class SelectionRulesIn(serializers.Serializer):
    """How many traces go to labelers, and which. `k` is per problem, or over the whole pool if `mode` is global."""

    # Validation turns the fields into one value: `rules`.

    mode = serializers.ChoiceField(["per_problem", "global"], default="per_problem")
    k = serializers.IntegerField(min_value=1, max_value=MOST_TASKS)
    ratio = serializers.FloatField(min_value=0, max_value=1, default=0.8)
    per_problem_cap = serializers.IntegerField(min_value=1, max_value=MOST_TASKS, allow_null=True, default=None)
    budget = serializers.IntegerField(min_value=1, max_value=MOST_TASKS, allow_null=True, default=None)
    control_share = serializers.FloatField(min_value=0, max_value=0.9, default=0.1)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    mix = MixIn(default=Mix, help_text="A mix of ways to choose; only if `mode` is global.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["mix"].asked and attrs["mode"] != "global":
            said = "A mix chooses from the whole pool. Set the quota to apply over all problems."
            raise serializers.ValidationError({"mix": [said]})
        rules = {name: attrs.pop(name) for name in (*configs.RULES, "seed")}
        return attrs | {"rules": Rules(**rules)}


class PoolQuestionIn(SelectionRulesIn):
    """What decides which traces a staged round can draw from. With `prm` null, the choice is random."""

    # Validation gives `prm`, `seed`, and everything else as `config`.
    filter = TraceFilter(default=configs.TraceFilter)
    prm = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, allow_null=True, default=None)
    grade = serializers.BooleanField(default=True, help_text="Grade traces that have no outcome before scoring.")
    rescore = serializers.IntegerField(
        min_value=0,
        max_value=10_000,
        default=0,
        help_text="The number of best traces of each problem to score again in float32.",
    )
    generate = GenerateIn(allow_null=True, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        rules = attrs.pop("rules")
        asked = {name: attrs.pop(name) for name in ("filter", "grade", "rescore", "generate")}
        key = attrs.pop("client_key", None)
        config = configs.StagedConfig(rules.k, **asked, client_key=str(key) if key else None)
        return attrs | {"config": config.with_rules(rules), "seed": rules.seed}


class PoolCountIn(PoolQuestionIn):
    round = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        allow_null=True,
        default=None,
        help_text="Count as if this round chose again from its own pool; its own tasks do not count as queued.",
    )


class StartRoundIn(OverlapFields, PoolQuestionIn):
    """A staged round: what decides which traces it can draw from, and how they are served. With `prm` null, the choice
    is random.
    """

    name = OneLine(max_length=120, allow_blank=True, default="")
    priority = serializers.IntegerField(min_value=-1000, max_value=1000, default=0)
    protocol = ProtocolField()
    client_key = serializers.UUIDField(
        allow_null=True, default=None, help_text="Identifies this click of the button: sent twice, it starts one round."
    )


class StageOut(serializers.Serializer):
    """One stage. `per_second` and `seconds_left` are null while no worker works on it."""

    stage = serializers.ChoiceField(list(STAGES))
    title = serializers.CharField(help_text="Its name for people.")
    means = serializers.CharField(help_text="What happens in this stage, for people.")
    state = serializers.ChoiceField(STAGE_STATES)
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    unit = serializers.ChoiceField(["samples", "traces"])
    whole = serializers.BooleanField(help_text="The stage is done in one go, without progress.")
    doing = serializers.CharField(allow_blank=True, help_text="What to show while such a stage runs.")
    chunks = serializers.IntegerField()
    chunks_done = serializers.IntegerField()
    per_second = serializers.FloatField(allow_null=True)
    seconds_left = serializers.IntegerField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    workers = serializers.IntegerField(help_text="Chunks in progress.")
    held_up = serializers.CharField(
        allow_blank=True, help_text="Why the last attempt failed; it is tried again. Empty: nothing is held up."
    )


class RoundProgressOut(serializers.Serializer):
    status = serializers.ChoiceField(Round.Status.values)
    working = serializers.BooleanField(help_text="Workers are on it, so its numbers keep changing.")
    error = serializers.CharField(allow_blank=True)
    stages = StageOut(many=True)
    samples = SampleCounts(allow_null=True, help_text="Null if the round generates no traces.")


class PrmOut(Shape):
    """A PRM, or scores made elsewhere, as shown to people: without its storage path or its address.

    Rendered with `scored`, the id of the `selector`, and `baseline_not_beaten`.
    """

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(SCORER_KINDS, help_text="imported: its scores were made elsewhere.")
    family = serializers.CharField(
        allow_blank=True, help_text="How its text is read; empty if no worker runs it as a PRM."
    )
    base = serializers.CharField(allow_blank=True)
    dtype = serializers.CharField()
    aggregation = serializers.CharField()
    scale = serializers.ChoiceField(SCALES, help_text="How to read its numbers; empty: no worker has looked at it.")
    status = serializers.ChoiceField(StepScorer.Status.values)
    error = serializers.CharField(allow_blank=True)
    checksum = serializers.CharField(allow_blank=True)
    fingerprint = serializers.CharField(allow_blank=True)
    server = serializers.BooleanField(help_text="It is called over the network; its weights are not loaded here.")
    scored = serializers.IntegerField(help_text="Traces of this project that it has scored.")
    run = serializers.IntegerField(
        source="training_run.pk", allow_null=True, help_text="The training run here that made it."
    )
    labels_used = serializers.IntegerField(
        source="training_run.labels_total", allow_null=True, help_text="Labels that this run learned from."
    )
    target = serializers.ChoiceField(TrainingRun.Target.values, help_text="outcome: it judges only final answers.")
    learned_from = serializers.CharField(
        allow_blank=True, help_text="What it was trained on elsewhere, as a person entered it. Empty: unknown."
    )
    site_wide = serializers.BooleanField(help_text="It is available to every project.")
    selector = serializers.BooleanField(help_text="A person made it the PRM that new rounds are offered first.")
    baseline_not_beaten = serializers.ListField(
        child=serializers.CharField(),
        help_text="Evaluation sets on which position and length alone do as well, according to its newest evaluation.",
    )

    def family_of(self, prm: StepScorer) -> str:
        """The kind of PRM; none for marks that came with an import and for sources of machine labels."""
        return prm.spec.get("family") or ""

    def base_of(self, prm: StepScorer) -> str:
        """The model that it was trained from; empty if it was not trained here."""
        return prm.spec.get("base") or ""

    def dtype_of(self, prm: StepScorer) -> str:
        """The type of the numbers that it computes with."""
        return prm.spec.get("dtype", "float32")

    def aggregation_of(self, prm: StepScorer) -> str:
        """How step scores are combined into the trace's score."""
        return prm.aggregation

    def server_of(self, prm: StepScorer) -> bool:
        """Whether it has an address."""
        return bool(prm.spec.get("url"))

    def target_of(self, prm: StepScorer) -> str:
        """What the training run here taught it; PRMs from elsewhere judge steps."""
        run = getattr(prm, "training_run", None)
        return run.target if run else TrainingRun.Target.STEPS

    def site_wide_of(self, prm: StepScorer) -> bool:
        """Whether it belongs to no project."""
        return prm.project_id is None

    def selector_of(self, prm: With) -> bool:
        """Whether it is the project's selector."""
        return prm.pk == prm.selector


class PrmsOut(serializers.Serializer):
    results = PrmOut(many=True)
