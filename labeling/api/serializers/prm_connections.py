"""Connecting a PRM, and trying one on a trace of your own."""

from typing import Any

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.one_line import OneLine
from labeling.api.serializers.round_stages import SCALES
from labeling.api.short_lists import ShortList
from labeling.configs import FAMILIES, AskedPrm
from labeling.configs.prm_families import AGGREGATIONS, SEPARATORS
from labeling.models import PrmTrial

LONGEST_TEXT = 20_000  # characters of a problem, and of a step
MOST_STEPS = 500
DTYPES = ["float32", "bfloat16"]
NEUTRAL = ["positive", "negative"]


class PrmFamilyOut(serializers.Serializer):
    """A family to choose, and the options it has."""

    name = serializers.ChoiceField(list(FAMILIES))
    title = serializers.CharField()
    means = serializers.CharField(help_text="What it is, for people.")
    place = serializers.ChoiceField(["folder", "server"], help_text="Where its weights are.")
    aggregation = serializers.ChoiceField(AGGREGATIONS, help_text="How its steps become a trace's score by default.")
    by_authors = serializers.BooleanField(help_text="Its authors name that aggregation.")
    aggregations = serializers.ListField(child=serializers.ChoiceField(AGGREGATIONS))
    neutral = serializers.BooleanField(help_text="It may have a neutral label, which needs a value.")
    separator = serializers.BooleanField(help_text="The separator between its steps must be given.")
    reference = serializers.BooleanField(help_text="It needs the folder of a second model.")


class ModelFolderOut(serializers.Serializer):
    """A folder under MODELS_DIR that the workers see, and what its config.json reveals."""

    folder = serializers.CharField()
    architecture = serializers.CharField(allow_blank=True)
    family = serializers.ChoiceField([*FAMILIES, ""], help_text="What it seems to be. Empty: unknown.")
    labels = serializers.IntegerField(allow_null=True)
    weights = serializers.ChoiceField(["safetensors", "pickled", "none"], help_text="Pickled files are never opened.")


class PrmServerOut(serializers.Serializer):
    """A server that the operator listed. Its address is not shown."""

    name = serializers.CharField()
    family = serializers.ChoiceField(list(FAMILIES))
    models = serializers.ListField(child=serializers.CharField())


class PrmConnectionsOut(serializers.Serializer):
    """What a PRM can be connected from now."""

    workers = serializers.IntegerField(help_text="Running workers of the queue gpu, which would check it.")
    families = PrmFamilyOut(many=True)
    folders = ModelFolderOut(many=True)
    servers = PrmServerOut(many=True)


class ConnectPrmIn(serializers.Serializer):
    """A folder that workers found, or a server and a model that the operator listed. Each is given by its name."""

    # Validated: `for_all`, and the rest as `asked`.

    name = OneLine(max_length=100)
    family = serializers.ChoiceField(list(FAMILIES))
    aggregation = serializers.ChoiceField(AGGREGATIONS)
    folder = serializers.CharField(max_length=300, allow_blank=True, default="")
    reference = OneLine(
        max_length=300,
        allow_blank=True,
        default="",
        help_text="The folder of the model that an implicit PRM is compared with.",
    )
    server = serializers.CharField(max_length=100, allow_blank=True, default="")
    model = OneLine(max_length=300, allow_blank=True, default="")
    neutral = serializers.ChoiceField(NEUTRAL, default="positive", help_text="The value of a neutral step.")
    separator = serializers.ChoiceField(list(SEPARATORS), default="line")
    dtype = serializers.ChoiceField(DTYPES, default="float32")
    learned_from = OneLine(
        max_length=300, allow_blank=True, default="", help_text="What it was trained on. Empty: unknown."
    )
    for_all = serializers.BooleanField(default=False, help_text="For every project. Only superusers may set it.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for_all = attrs.pop("for_all")
        return {"for_all": for_all, "asked": AskedPrm(**attrs)}


class TryPrmIn(serializers.Serializer):
    """A trace of your own, with what the model's card says of each step."""

    problem = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False)
    steps = ShortList(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False),
        min_length=1,
        max_length=MOST_STEPS,
    )
    expected = ShortList(
        child=serializers.FloatField(min_value=-1e6, max_value=1e6),
        max_length=MOST_STEPS,
        allow_null=True,
        default=None,
    )


class PrmTrialOut(Shape):
    """A PRM's result for a trace that somebody typed."""

    id = serializers.IntegerField()
    prm = serializers.IntegerField(source="scorer_id")
    status = serializers.ChoiceField(PrmTrial.Status.values)
    problem = serializers.CharField()
    steps = serializers.ListField(child=serializers.CharField())
    expected = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    scores = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    score = serializers.FloatField(allow_null=True, help_text="Logarithm of the trace's score.")
    scale = serializers.ChoiceField(SCALES, source="scorer.scale")
    reason = serializers.CharField(allow_blank=True, help_text="Why there is no number.")
    error = serializers.CharField(allow_blank=True)
