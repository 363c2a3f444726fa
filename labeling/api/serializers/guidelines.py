"""Shapes of the labeling guidelines."""

from rest_framework import serializers

from labeling.api.serializers.people import PersonRef

MAX_BODY = 200_000


class GuidelineIn(serializers.Serializer):
    """The whole text of the next version, in Markdown, kept byte for byte."""

    body = serializers.CharField(max_length=MAX_BODY, trim_whitespace=False)


class GuidelineVersion(serializers.Serializer):
    """A published version without its text."""

    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)


class GuidelineOut(serializers.Serializer):
    """A version with its text. Version 0, empty, without a time: nothing was published yet."""

    version = serializers.IntegerField()
    body = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField(allow_null=True)
