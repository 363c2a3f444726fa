"""What a project's rounds offer and ask for at a mistake."""

from typing import Any

from rest_framework import serializers

from labeling.api.one_line import OneLine
from labeling.api.short_lists import ShortList
from labeling.configs import AfterErrorConfig, ExplainingConfig
from labeling.configs.after_error import MOST_AHEAD, MOST_SUGGESTIONS
from labeling.generation.explaining import PROMPTS
from labeling.protocol.after_error import ASKABLE
from labeling.protocol.error_kinds import OWN, SCHEMES

MOST_KINDS = 200


class OwnKindShape(serializers.Serializer):
    """A kind of mistake in a project's own list."""

    code = serializers.RegexField(r"^[A-Za-z0-9._-]{1,40}$")
    title = OneLine(max_length=80)
    about = serializers.CharField(max_length=300, allow_blank=True, default="")


class ExplainingShape(serializers.Serializer):
    """What a generator is asked at a step that may be wrong."""

    generator = serializers.CharField(max_length=60)
    model = OneLine(max_length=200)
    prompt = serializers.ChoiceField(list(PROMPTS), default=ExplainingConfig.prompt)
    explanations = serializers.IntegerField(min_value=0, max_value=MOST_SUGGESTIONS, default=2)
    alternatives = serializers.IntegerField(min_value=0, max_value=MOST_SUGGESTIONS, default=3)
    ahead = serializers.IntegerField(
        min_value=0,
        max_value=MOST_AHEAD,
        default=2,
        help_text="The steps that the PRM rates lowest, before the task is opened.",
    )
    temperature = serializers.FloatField(min_value=0, max_value=2, default=0.8)
    top_p = serializers.FloatField(min_value=0.01, max_value=1, default=1.0)
    max_tokens = serializers.IntegerField(min_value=16, max_value=4096, default=400)
    seed = serializers.IntegerField(min_value=0, max_value=(1 << 31) - 1, default=0)


class AfterErrorShape(serializers.Serializer):
    """What new rounds of the project offer and ask for at a mistake. A round keeps the settings it was opened with."""

    scheme = serializers.ChoiceField(["", *SCHEMES, OWN], default="", help_text="The list of kinds. Empty: no list.")
    own_version = serializers.IntegerField(
        read_only=True, help_text="Version of the project's own list. Each change makes a new version."
    )
    own_kinds = OwnKindShape(many=True, default=list, max_length=MOST_KINDS)  # type: ignore[call-arg]  # many takes it
    from_file = serializers.BooleanField(default=False, help_text="Show suggestions that came with the traces.")
    asked = ShortList(child=serializers.ChoiceField(list(ASKABLE)), default=list, max_length=len(ASKABLE))
    explaining = ExplainingShape(allow_null=True, default=None)

    def validate_own_kinds(self, kinds: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Each code may be used once only."""
        codes = [kind["code"] for kind in kinds]
        if twice := sorted({code for code in codes if codes.count(code) > 1}):
            raise serializers.ValidationError(f"The code {twice[0]} is there twice. Give each kind its own.")
        return kinds

    def validate(self, asked: dict[str, Any]) -> dict[str, Any]:
        """If the project's own list is chosen, it needs kinds. Asking for a kind needs a list."""
        if asked["scheme"] == OWN and not asked["own_kinds"]:
            raise serializers.ValidationError({"own_kinds": ["Write at least one kind, or choose another list."]})
        if "kind" in asked["asked"] and not asked["scheme"]:
            raise serializers.ValidationError({"scheme": ["Choose a list of kinds, or do not ask for the kind."]})
        return asked

    def to_representation(self, stored: Any) -> dict[str, Any]:
        """All settings, including those that an older version did not store."""
        shown: dict[str, Any] = super().to_representation(AfterErrorConfig.from_json(stored).as_json())
        return shown
