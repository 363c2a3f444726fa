"""The shape of every refusal (written by annotation_app.exception_handler), with the fields that some codes add."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.api.serializers.paths import PathOut
from labeling.models import Membership

TEXTS = {"type": "array", "items": {"type": "string"}}


@extend_schema_field({"anyOf": [TEXTS, {"type": "array", "items": {"type": "object"}}, {"type": "object"}]})
class FaultsOfField(serializers.JSONField):
    """Sentences about a field's value. Those about a list or an object are grouped by entry or by key."""


class FindingOut(serializers.Serializer):
    """Something the labeler still has to do or confirm. `step` is null if it is not about one step."""

    code = serializers.CharField()
    step = serializers.IntegerField(allow_null=True)
    number = serializers.IntegerField(
        allow_null=True, required=False, help_text="The number of a completion, in a path's step."
    )


class Refusal(serializers.Serializer):
    """Any answer with status 400 or higher. Optional fields come only with some codes (labeling.errors)."""

    code = serializers.CharField(help_text="Stable, for programs.")
    detail = serializers.CharField(help_text="One sentence for people, with what to do next.")
    request_id = serializers.CharField(
        required=False, help_text="With server errors: the id by which the operator finds the request in the log."
    )
    fields = serializers.DictField(  # type: ignore[assignment]  # the answer's name for it; unused by the serializer
        child=FaultsOfField(), required=False, help_text="With code `invalid`."
    )
    needed = serializers.ChoiceField(Membership.Role.values, required=False, help_text="The role that may do this.")
    status = serializers.CharField(
        required=False, help_text="The current status, with the codes `…_not_…` and `job_finished`."
    )
    stage = serializers.CharField(required=False, help_text="The stage of a grading.")
    state = serializers.CharField(required=False, help_text="The state of an invitation.")
    paused = serializers.BooleanField(required=False, help_text="Whether the member is paused.")
    retry_at = serializers.DateTimeField(
        required=False, help_text="When the next login is accepted, or when the allowance frees up."
    )
    allowance = serializers.CharField(required=False, help_text="The allowance that is used up (docs/operations.md).")
    limit = serializers.IntegerField(required=False, help_text="The largest upload allowed, in bytes.")
    host = serializers.CharField(required=False, help_text="The host that the operator does not allow.")
    bases = serializers.ListField(child=serializers.CharField(), required=False, help_text="The bases that exist.")
    missing = FindingOut(many=True, required=False)
    contradictions = FindingOut(many=True, required=False)
    path = PathOut(required=False, help_text="The path as it is now.")
    draft = serializers.JSONField(allow_null=True, required=False, help_text="The draft as it is stored.")
    draft_revision = serializers.IntegerField(required=False)
    counts = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="Counts of a training run's labels."
    )
    dropped = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="Labels left out, by reason."
    )
    problems = serializers.IntegerField(required=False, help_text="Problems of the set that the PRM learned from.")
    round = serializers.IntegerField(required=False, help_text="The number of the round that is running.")
    gold = serializers.IntegerField(required=False, help_text="The id of the gold item that the trace already is.")
    version = serializers.IntegerField(
        required=False, help_text="The newest version of the guidelines, with `guideline_changed`."
    )
    ruling = serializers.IntegerField(
        required=False, allow_null=True, help_text="The id of the current ruling; null if there is none."
    )
    promotion = serializers.IntegerField(
        required=False, help_text="The id of the current promotion, with `promotion_changed`."
    )
    trace = serializers.IntegerField(required=False, help_text="The id of the trace that replaced this one.")
