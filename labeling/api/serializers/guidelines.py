"""The labeling guidelines."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.people import PersonRef
from labeling.protocol.clauses import clauses_of

MAX_BODY = 200_000


class GuidelineIn(serializers.Serializer):
    """The whole text of the next version, in Markdown, stored byte for byte."""

    body = serializers.CharField(max_length=MAX_BODY, trim_whitespace=False)
    after = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST_ID,
        help_text="The newest version that the author has seen, 0 for none. If another was published since, the "
        "answer is 409 `guideline_changed`. If omitted, the new version replaces the newest one, "
        "whichever it is.",
    )


class GuidelineVersion(serializers.Serializer):
    """A published version without its text."""

    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)


class ClauseOut(serializers.Serializer):
    """A numbered clause that a label may cite."""

    number = serializers.CharField(help_text="`§2.3`")
    text = serializers.CharField(help_text="The beginning of its text. May be empty.")


class GuidelineOut(serializers.Serializer):
    """A version with its text. Version 0, empty and without a time, means that nothing was published yet."""

    version = serializers.IntegerField()
    body = serializers.CharField(allow_blank=True)
    clauses = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(ClauseOut(many=True))
    def get_clauses(self, guideline: Any) -> list[dict[str, str]]:
        """The clauses found in the text."""
        body = guideline["body"] if isinstance(guideline, dict) else guideline.body
        return [clause._asdict() for clause in clauses_of(body)]
