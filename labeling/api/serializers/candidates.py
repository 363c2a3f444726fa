"""Generators, what a round asks of one, and the preview of a splitter."""

from typing import Any

from rest_framework import serializers

from labeling import configs
from labeling.api.one_line import OneLine
from labeling.api.parameters import LARGEST_ID
from labeling.api.short_lists import ShortList
from labeling.generation.prompts import LONGEST_TEMPLATE, UnusablePrompt, next_step_template_of, template_of
from labeling.generation.splitting import KINDS, LONGEST_PATTERN, Splitter, UnknownSplitter

MAX_SEED = (1 << 53) - 1  # exact in a browser
LONGEST_TEXT = 100_000  # characters of a text to try a splitter on


class SplitterIn(serializers.Serializer):
    """How text is split into steps. `pattern`, only for kind custom, is the text that begins each step."""

    kind = serializers.ChoiceField(KINDS)
    pattern = serializers.CharField(
        max_length=LONGEST_PATTERN,
        allow_blank=True,
        default="",
        trim_whitespace=False,
        help_text="{n} stands for a number.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        try:
            Splitter(attrs["kind"], attrs["pattern"])
        except UnknownSplitter as fault:
            raise serializers.ValidationError({"pattern": str(fault)}) from fault
        return attrs


class PreviewSplitterIn(SplitterIn):
    """A splitter and a text to try it on: the given text, or a trace of the project."""

    text = serializers.CharField(max_length=LONGEST_TEXT, allow_blank=True, required=False, trim_whitespace=False)
    trace_id = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if ("text" in attrs) == ("trace_id" in attrs):
            raise serializers.ValidationError({"text": "Give either a text or the id of a trace."})
        return attrs


class SplitterPreview(serializers.Serializer):
    steps = serializers.ListField(child=serializers.CharField())
    version = serializers.CharField(help_text="The name stored with traces that are split this way.")


class GenerateIn(serializers.Serializer):
    """What a round asks of a generator: `n` samples per problem. A prompt is a built-in name or has `{problem}`."""

    generator = serializers.CharField(max_length=100)
    model = OneLine(max_length=200)
    prompt = serializers.CharField(max_length=LONGEST_TEMPLATE, default="steps", trim_whitespace=False)
    temperature = serializers.FloatField(min_value=0, max_value=5, default=1.0)
    top_p = serializers.FloatField(min_value=0.01, max_value=1, default=1.0)
    n = serializers.IntegerField(min_value=1, max_value=10_000, default=16)
    max_tokens = serializers.IntegerField(min_value=1, max_value=1_000_000, default=2048)
    stop = ShortList(child=serializers.CharField(max_length=100, trim_whitespace=False), max_length=4, default=list)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    splitter = SplitterIn(default=lambda: {"kind": "blank_line", "pattern": ""})

    def validate_prompt(self, prompt: str) -> str:
        """A built-in name, or a template."""
        try:
            template_of(prompt)
        except UnusablePrompt as fault:
            raise serializers.ValidationError(str(fault)) from fault
        return prompt

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The validated value is a `configs.GenerateConfig`."""
        splitter = Splitter(**attrs.pop("splitter"))
        return configs.GenerateConfig(**{**attrs, "stop": tuple(attrs["stop"])}, splitter=splitter)


class NextStepIn(serializers.Serializer):
    """What a round asks of a generator for the next step. A prompt is a built-in name, or contains `{problem}` and
    `{steps}`.
    """

    generator = serializers.CharField(max_length=100)
    model = OneLine(max_length=200)
    prompt = serializers.CharField(max_length=LONGEST_TEMPLATE, default="next_step", trim_whitespace=False)
    temperature = serializers.FloatField(min_value=0, max_value=5, default=1.0)
    top_p = serializers.FloatField(min_value=0.01, max_value=1, default=1.0)
    max_tokens = serializers.IntegerField(min_value=1, max_value=100_000, default=512)
    stop = ShortList(child=serializers.CharField(max_length=100, trim_whitespace=False), max_length=4, default=list)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)

    def validate_prompt(self, prompt: str) -> str:
        """A built-in name, or a template."""
        try:
            next_step_template_of(prompt)
        except UnusablePrompt as fault:
            raise serializers.ValidationError(str(fault)) from fault
        return prompt

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The validated value is a `configs.NextStepConfig`."""
        return configs.NextStepConfig(**{**attrs, "stop": tuple(attrs["stop"])})


class GeneratorOut(serializers.Serializer):
    name = serializers.CharField()
    models = serializers.ListField(child=serializers.CharField(), help_text="Empty: any.")


class PromptOut(serializers.Serializer):
    name = serializers.CharField()
    template = serializers.CharField()


class GeneratorsOut(serializers.Serializer):
    """The generators named by the operator, without address and key, and the built-in prompts."""

    results = GeneratorOut(many=True)
    prompts = PromptOut(many=True)


class SampleCounts(serializers.Serializer):
    """What became of a generator's samples: traces, and dropped samples by reason (docs/candidates.md)."""

    samples = serializers.IntegerField()
    kept = serializers.IntegerField()
    dropped = serializers.DictField(child=serializers.IntegerField())
