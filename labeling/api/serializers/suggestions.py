"""Shapes of the suggestions that machines make at a labeler's mistake."""

from rest_framework import serializers

from labeling.api.serializers.runs import StepIndexField
from labeling.models import Suggestion


class SuggestionsIn(serializers.Serializer):
    """The step that suggestions are for. If left out: the steps that are likely to be wrong, which are not shown to
    anyone.
    """

    of_any_version = True
    step = StepIndexField(allow_null=True, default=None)


class SuggestionShown(serializers.Serializer):
    step = serializers.IntegerField()
    kind = serializers.ChoiceField(Suggestion.Kind.values)
    number = serializers.IntegerField(
        help_text="The number among those of its kind at the step, by which a label rates it."
    )
    text = serializers.CharField()


class SuggestionsOut(serializers.Serializer):
    """`coming`: ask again in a moment. `failed`: there will be no suggestions; the labeler writes their own."""

    state = serializers.ChoiceField(["none", "coming", "here", "failed"])
    suggestions = SuggestionShown(many=True)
