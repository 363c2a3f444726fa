"""The shape of every refusal (annotation_app.exception_handler writes it), with what a code brings besides."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.api.serializers.paths import PathOut
from labeling.models import Membership

TEXTS = {"type": "array", "items": {"type": "string"}}


@extend_schema_field({"anyOf": [TEXTS, {"type": "array", "items": {"type": "object"}}, {"type": "object"}]})
class FaultsOfField(serializers.JSONField):
    """Sentences about a field's value; of a list or an object: by entry, or by name."""


class FindingOut(serializers.Serializer):
    """What the labeler still has to do or to confirm; `step` is null where it is about no step."""

    code = serializers.CharField()
    step = serializers.IntegerField(allow_null=True)
    number = serializers.IntegerField(allow_null=True, required=False, help_text="Of a completion of a path's step.")


class Refusal(serializers.Serializer):
    """Any answer from 400 on. What is not required comes with some codes alone (labeling.errors)."""

    code = serializers.CharField(help_text="Stable; for programs.")
    detail = serializers.CharField(help_text="One sentence with the way out; for people.")
    request_id = serializers.CharField(
        required=False, help_text="With faults of the server: by what the operator finds the request in the log."
    )
    fields = serializers.DictField(  # type: ignore[assignment]  # the answer's name for it; unused by the serializer
        child=FaultsOfField(), required=False, help_text="With code `invalid`."
    )
    needed = serializers.ChoiceField(Membership.Role.values, required=False, help_text="The role that may do it.")
    status = serializers.CharField(required=False, help_text="What the thing is in, of `…_not_…` and `job_finished`.")
    stage = serializers.CharField(required=False, help_text="Of a grading.")
    state = serializers.CharField(required=False, help_text="Of an invitation.")
    paused = serializers.BooleanField(required=False, help_text="Whether the member is.")
    retry_at = serializers.DateTimeField(required=False, help_text="When a login is looked at, or more is allowed.")
    allowance = serializers.CharField(required=False, help_text="Which is used up (docs/operations.md).")
    limit = serializers.IntegerField(required=False, help_text="Bytes that an upload may have.")
    host = serializers.CharField(required=False, help_text="That the operator does not allow.")
    bases = serializers.ListField(child=serializers.CharField(), required=False, help_text="That there are.")
    missing = FindingOut(many=True, required=False)
    contradictions = FindingOut(many=True, required=False)
    path = PathOut(required=False, help_text="As it stands now.")
    draft = serializers.JSONField(allow_null=True, required=False, help_text="As it is stored.")
    draft_revision = serializers.IntegerField(required=False)
    counts = serializers.DictField(child=serializers.IntegerField(), required=False, help_text="Of a run's labels.")
    dropped = serializers.DictField(child=serializers.IntegerField(), required=False, help_text="By why.")
    problems = serializers.IntegerField(required=False, help_text="Of the set, that the PRM learned from.")
    round = serializers.IntegerField(required=False, help_text="The number of the one that runs.")
    gold = serializers.IntegerField(required=False, help_text="The id of the gold that the trace is already.")
    version = serializers.IntegerField(required=False, help_text="Of the newest guidelines, of `guideline_changed`.")
    ruling = serializers.IntegerField(
        required=False, allow_null=True, help_text="The id of the one that stands; null: none does."
    )
    promotion = serializers.IntegerField(
        required=False, help_text="The id of the one that counts, of `promotion_changed`."
    )
    trace = serializers.IntegerField(required=False, help_text="The id of the trace that replaced this one.")
