"""Shapes of machine label sources, their runs, marks and calibration."""

from typing import Any

from rest_framework import serializers

from labeling import configs
from labeling.api.answers import Shape
from labeling.api.one_line import OneLine
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.audits import AuditState, StepScorerRef
from labeling.api.serializers.candidates import MAX_SEED
from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.rounds import TraceFilter
from labeling.api.short_lists import ShortList
from labeling.configs.sources import cost_of, read_source, sampling_of
from labeling.generation.prompts import LONGEST_TEMPLATE, UnusablePrompt, completion_template_of
from labeling.models import Score, SourceRun, StepScorer
from labeling.queries.selection_summary import numbers
from labeling.queries.source_calibration import TRUTHS
from labeling.sources.consensus import RULES
from labeling.sources.judging import UnusableTemplate, template_of
from labeling.sources.verifier import VERSION

RUN_KINDS = ["rollouts", "judge", "consensus", "verifier"]
SOURCE_KINDS = [kind for kind in StepScorer.Kind.values if kind != StepScorer.Kind.PRM]
STRATEGIES = ["everywhere", "bisect", "adaptive", "tree"]


class SamplingIn(serializers.Serializer):
    """Which model is called, and how. Prices are in money per million tokens."""

    generator = serializers.CharField(max_length=100)
    model = OneLine(max_length=200)
    prompt = serializers.CharField(max_length=LONGEST_TEMPLATE, trim_whitespace=False)
    temperature = serializers.FloatField(min_value=0, max_value=5, default=0.7)
    top_p = serializers.FloatField(min_value=0.01, max_value=1, default=1.0)
    max_tokens = serializers.IntegerField(min_value=1, max_value=1_000_000, default=1024)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    price_in = serializers.FloatField(min_value=0, max_value=1e6, default=0.0)
    price_out = serializers.FloatField(min_value=0, max_value=1e6, default=0.0)

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The values as a `configs.SamplingConfig`."""
        return configs.SamplingConfig(**attrs)


class RolloutsIn(serializers.Serializer):
    """Rollouts from prefixes. `prompt` names a built-in template (go_on), or contains `{problem}` and `{steps}`."""

    completer = SamplingIn()
    strategy = serializers.ChoiceField(STRATEGIES, default="everywhere")
    n = serializers.IntegerField(min_value=1, max_value=256, default=8)
    threshold = serializers.FloatField(min_value=0.01, max_value=0.99, default=0.5)
    budget = serializers.IntegerField(
        min_value=1, max_value=10_000, default=100, help_text="Rollouts per trace, for strategy tree."
    )

    def validate_completer(self, asked: configs.SamplingConfig) -> configs.SamplingConfig:
        """The name of a built-in template, or a template."""
        try:
            completion_template_of(asked.prompt)
        except UnusablePrompt as fault:
            raise serializers.ValidationError({"prompt": [str(fault)]}) from fault
        return asked

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The values as a `configs.RolloutsConfig`."""
        return configs.RolloutsConfig(**attrs)


class JudgeIn(serializers.Serializer):
    """A judge. `prompt`: a built-in template (processbench/1, thinkprm/1), or one with `{problem}` and `{solution}`."""

    judge = SamplingIn()
    votes = serializers.IntegerField(min_value=1, max_value=64, default=1)
    again = serializers.IntegerField(min_value=0, max_value=8, default=0)

    def validate_judge(self, asked: configs.SamplingConfig) -> configs.SamplingConfig:
        """A built-in template, or your own."""
        try:
            template_of(asked.prompt)
        except UnusableTemplate as fault:
            raise serializers.ValidationError({"prompt": [str(fault)]}) from fault
        return asked

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The values as a `configs.JudgeConfig`."""
        return configs.JudgeConfig(**attrs)


class ConsensusIn(serializers.Serializer):
    """A rule over other sources, by their ids."""

    sources = ShortList(child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), min_length=2, max_length=8)
    rule = serializers.ChoiceField(sorted(RULES), default="agree")

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The values as a `configs.ConsensusConfig`."""
        return configs.ConsensusConfig(tuple(dict.fromkeys(attrs["sources"])), attrs["rule"])


class CreateSourceIn(serializers.Serializer):
    """A source with its settings, which are under the key of its kind. The checks need no settings."""

    name = OneLine(max_length=100)
    kind = serializers.ChoiceField(RUN_KINDS)
    rollouts = RolloutsIn(required=False)
    judge = JudgeIn(required=False)
    consensus = ConsensusIn(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The values as `{name, config}`."""
        kind = attrs["kind"]
        config = configs.VerifierConfig(VERSION) if kind == "verifier" else attrs.get(kind)
        if config is None:
            raise serializers.ValidationError({kind: [f"Give the settings of {kind}."]})
        return {"name": attrs["name"], "config": config}


class SourceOut(Shape):
    """A source of machine labels. `settings` are as they were sent; `scored`: traces that it has looked at."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(SOURCE_KINDS)
    name = serializers.CharField()
    settings = serializers.DictField(source="spec")
    runs_here = serializers.BooleanField(help_text="Workers can run it; others only hold imported marks.")
    scored = serializers.IntegerField()
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()

    def runs_here_of(self, source: StepScorer) -> bool:
        """The settings, under the key of the source's kind."""
        return source.kind in RUN_KINDS and source.project_id is not None


class TemplateOut(serializers.Serializer):
    name = serializers.CharField()
    text = serializers.CharField()


class SourcesOut(serializers.Serializer):
    """The project's sources, and the templates and rules available for new ones."""

    results = SourceOut(many=True)
    judge_templates = TemplateOut(many=True)
    completion_prompts = TemplateOut(many=True)
    rules = TemplateOut(many=True)


class PreviewJudgeIn(serializers.Serializer):
    """A template to preview on a trace of the project: the one with the given id, or the first."""

    prompt = serializers.CharField(max_length=LONGEST_TEMPLATE, trim_whitespace=False)
    trace = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)
    answer = serializers.CharField(
        max_length=100_000, required=False, allow_blank=True, help_text="An answer to test the parser with."
    )

    def validate_prompt(self, prompt: str) -> str:
        """A built-in template, or your own."""
        try:
            template_of(prompt)
        except UnusableTemplate as fault:
            raise serializers.ValidationError(str(fault)) from fault
        return prompt


class JudgePreviewOut(serializers.Serializer):
    """What a judge would read. For an answer: what it says, or why it cannot be read."""

    trace = serializers.IntegerField()
    text = serializers.CharField()
    first_error = serializers.IntegerField(allow_null=True)
    why = serializers.CharField(allow_blank=True)


class RunSourceIn(serializers.Serializer):
    """A source and the traces for it to look at. The run ends when its budget is used up."""

    source = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)  # type: ignore[assignment]  # a name of DRF
    filter = TraceFilter(default=configs.TraceFilter)
    token_budget = serializers.IntegerField(min_value=1, max_value=10**15, allow_null=True, default=None)
    money_budget = serializers.FloatField(min_value=0.0001, max_value=1e9, allow_null=True, default=None)


class ResumeSourceRunIn(serializers.Serializer):
    """The new budget, including what has already been used; null: no budget."""

    token_budget = serializers.IntegerField(min_value=1, max_value=10**15, allow_null=True, default=None)
    money_budget = serializers.FloatField(min_value=0.0001, max_value=1e9, allow_null=True, default=None)


class WaitedFor(serializers.Serializer):
    source = serializers.CharField(help_text="The source's name.")  # type: ignore[assignment]  # also a name of DRF
    traces = serializers.IntegerField(help_text="Traces that it has not looked at.")


class SourceEstimateOut(serializers.Serializer):
    """An upper bound on what a run would use. Tokens are based on text lengths and the longest allowed answers."""

    traces = serializers.IntegerField()
    steps = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = serializers.FloatField()
    seconds = serializers.FloatField(
        allow_null=True,
        help_text="Seconds for one worker, at the speed of the model's last calls. Null: none, or it is not called.",
    )
    waits_for = WaitedFor(
        many=True,
        help_text="For a consensus: its sources that have not looked at all traces, which the run leaves out.",
    )


class SourceRunOut(Shape):
    """A run: its progress and what it has used. `estimated`: the server does not count tokens."""

    id = serializers.IntegerField()
    source = StepScorerRef()  # type: ignore[assignment]  # also a name of DRF
    filter = serializers.DictField()
    status = serializers.ChoiceField(SourceRun.Status.values)
    error = serializers.CharField(allow_blank=True)
    token_budget = serializers.IntegerField(allow_null=True)
    money_budget = serializers.FloatField(allow_null=True)
    traces_total = serializers.IntegerField()
    traces_done = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = serializers.FloatField()
    worker_seconds = serializers.FloatField(
        allow_null=True, help_text="Added up over workers, for finished chunks. Null: no chunk is finished yet."
    )
    estimated = serializers.BooleanField()
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def source_of(self, run: SourceRun) -> StepScorer:
        """The source's step scorer."""
        return run.scorer

    def cost_of(self, run: SourceRun) -> float:
        """The cost of the tokens used so far, at the source's prices."""
        return cost_of(sampling_of(read_source(run.scorer.kind, run.scorer.spec)), run.tokens_in, run.tokens_out)

    def worker_seconds_of(self, run: SourceRun) -> float | None:
        """As the query adds it up; null for a run that was just started."""
        worked = getattr(run, "worked", None)
        return None if worked is None else worked.total_seconds()


class ProgressOut(serializers.Serializer):
    """The chance of success before and after a step, and the difference: for its completing model, not correctness."""

    before = serializers.FloatField(allow_null=True)
    after = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True)


class MachineMarkOut(Shape):
    """One source's marks on a trace. If `first_error` is null, the source gives none, for the reason in `why`."""

    source = StepScorerRef()  # type: ignore[assignment]  # also a name of DRF
    steps = serializers.ListField(child=serializers.FloatField(allow_null=True), allow_null=True)
    first_error = serializers.IntegerField(allow_null=True)
    why = serializers.CharField(allow_blank=True)
    words = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="By step; empty if it has none."
    )
    progress = ProgressOut(many=True)
    evidence = serializers.DictField(help_text="What the mark is based on, by kind: docs/machine-labels.md.")

    def source_of(self, score: Score) -> StepScorer:
        """The source's step scorer."""
        return score.scorer

    def steps_of(self, score: Score) -> list[float | None] | None:
        """The scores, with null for infinity, which JSON does not have."""
        return numbers(score.steps)

    def first_error_of(self, score: Score) -> int | None:
        """The first error that the source gave. If it gives only numbers: the first step below one half."""
        evidence, steps = score.evidence or {}, score.steps or []
        if "first_error" in evidence or score.scorer.scale != "probability" or not steps or None in steps:
            return evidence.get("first_error")
        return next((place for place, one in enumerate(steps) if one is not None and one < 0.5), -1)

    def why_of(self, score: Score) -> str:
        """Why there is no first error."""
        return (score.evidence or {}).get("why", score.reason)

    def words_of(self, score: Score) -> list[list[str]]:
        """A verifier's messages."""
        return (score.evidence or {}).get("words", [])

    def progress_of(self, score: Score) -> list[dict[str, Any]]:
        """The chances of success from rollouts."""
        return (score.evidence or {}).get("progress", [])

    def evidence_of(self, score: Score) -> dict[str, Any]:
        """The rest of the evidence, without what has a field of its own."""
        shown = ("first_error", "why", "words", "progress")
        return {name: one for name, one in (score.evidence or {}).items() if name not in shown}


class MachineMarksOut(serializers.Serializer):
    results = MachineMarkOut(many=True)


class MarkTextOut(serializers.Serializer):
    """A rollout (its number of given steps and its outcome) or a judge's text (with its vote)."""

    text = serializers.CharField()
    steps = serializers.IntegerField(required=False)
    outcome = serializers.CharField(required=False)
    answer = serializers.CharField(required=False, allow_blank=True)
    vote = serializers.IntegerField(required=False)
    turn = serializers.IntegerField(required=False)
    first_error = serializers.IntegerField(required=False, allow_null=True)


class MarkTextsOut(serializers.Serializer):
    """The texts behind a mark; null: none are stored."""

    results = MarkTextOut(many=True, allow_null=True)


class PrunedOut(serializers.Serializer):
    traces = serializers.IntegerField(help_text="Traces whose texts were deleted.")


class CalibrationIn(serializers.Serializer):
    """`truth`: people's labels of the random sample drawn for the source, all their labels here, or the first errors
    that imports recorded. By default, the sample if there is one, otherwise all labels. `other`: for the three-way
    table.
    """

    truth = serializers.ChoiceField(TRUTHS, required=False)
    other = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)


class NamedFigure(EstimateOut):
    name = serializers.CharField()
    why = serializers.CharField(allow_blank=True, help_text="Why it cannot be measured here.")


class CalibrationGroup(serializers.Serializer):
    group = serializers.CharField()
    traces = serializers.IntegerField()
    figures = NamedFigure(many=True)


class SourceBin(serializers.Serializer):
    low = serializers.FloatField()
    high = serializers.FloatField()
    score = serializers.FloatField(allow_null=True)
    right = EstimateOut()


class CalibrationFailure(serializers.Serializer):
    """A trace on which the source and people differ. -1: no error."""

    trace = serializers.IntegerField()
    problem = serializers.CharField()
    people = serializers.IntegerField()
    said = serializers.IntegerField()
    steps = serializers.IntegerField()


class ThreeWayOut(serializers.Serializer):
    """For traces that both sources marked: who agrees with whom, as counts and as shares over problems."""

    traces = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    shares = NamedFigure(many=True)


class CalibrationOut(serializers.Serializer):
    """How a step scorer's first errors compare with people's. `not_measurable`: why there are no figures at all."""

    source = StepScorerRef()  # type: ignore[assignment]  # also a name of DRF
    truth = serializers.ChoiceField(TRUTHS)
    traces = serializers.IntegerField()
    silent = serializers.DictField(child=serializers.IntegerField(), help_text="Of these, without a mark, by reason.")
    figures = NamedFigure(many=True)
    agreement = NamedFigure(many=True)
    more_labels = serializers.IntegerField(allow_null=True, help_text="How many more would halve the intervals.")
    groups = serializers.DictField(child=CalibrationGroup(many=True))
    reliability = SourceBin(many=True)
    failures = CalibrationFailure(many=True)
    three_way = ThreeWayOut(allow_null=True)
    audit = AuditState()
    not_measurable = serializers.CharField(allow_blank=True)
