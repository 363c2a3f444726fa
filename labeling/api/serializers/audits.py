"""Audits of sources, marks accepted in bulk, and how seeing a machine's marks affected labelers."""

from typing import Any

from rest_framework import serializers

from labeling import configs
from labeling.api.answers import Shape
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.rounds import TraceFilter
from labeling.models import AcceptedMark, Round, StepScorer
from labeling.sources.consensus import steps_of
from labeling.sources.marks import unlooked_at


class StepScorerRef(serializers.Serializer):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(StepScorer.Kind.values)
    name = serializers.CharField()


class AuditRound(serializers.Serializer):
    """A random sample drawn for a source: from how many marked traces, and how far it is labeled."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    status = serializers.ChoiceField(Round.Status.values)
    drawn = serializers.IntegerField()
    labeled = serializers.IntegerField()
    pool = serializers.IntegerField()
    bar = serializers.FloatField(allow_null=True)


class AuditState(serializers.Serializer):
    """A source's random samples. `again`: why a new sample must be drawn. `refusal`: why its marks may not be accepted
    in bulk, empty if they may.
    """

    rounds = AuditRound(many=True)
    again = serializers.ListField(child=serializers.CharField())
    bar = serializers.FloatField(allow_null=True)
    agreement = EstimateOut()
    refusal = serializers.CharField(allow_blank=True)
    acceptable = serializers.IntegerField(
        allow_null=True, help_text="Traces whose marks would be accepted now. Null if none may be."
    )


class MachineFigure(EstimateOut):
    name = serializers.CharField()
    why = serializers.CharField(allow_blank=True, help_text="Why it cannot be measured here.")


class MachineReportOut(serializers.Serializer):
    """How seeing a machine's marks affected the labelers of a round. `seen`: labels whose labeler was shown some."""

    source = StepScorerRef()  # type: ignore[assignment]  # also a name of DRF
    when = serializers.ChoiceField(["after", "beside"])
    labels = serializers.IntegerField()
    seen = serializers.IntegerField()
    blind = serializers.IntegerField(help_text="Labels of the tasks of an assisted round that show no marks.")
    figures = MachineFigure(many=True)


class AcceptMarksIn(serializers.Serializer):
    """The source whose marks are accepted, and on which traces. The bar is the one named when the sample was drawn."""

    source = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)  # type: ignore[assignment]  # a name of DRF
    filter = TraceFilter(default=configs.TraceFilter)


class AcceptanceOut(serializers.Serializer):
    """Marks accepted in bulk: of which source, on which sample, over which bar. They are not human labels, and no
    export or training contains them.
    """

    id = serializers.IntegerField()
    source = StepScorerRef()  # type: ignore[assignment]  # also a name of DRF
    audit = serializers.IntegerField(source="audit_id", help_text="The round of the sample.")
    audit_number = serializers.IntegerField(source="audit.number")
    bar = serializers.FloatField()
    sample = EstimateOut()
    filter = serializers.DictField()
    traces = serializers.IntegerField()
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()
    withdrawn_by = PersonRef(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """`source` is the row's scorer. DRF uses the word itself, so it cannot be declared as a field."""
        fields = super().get_fields()
        fields["source"].source = "scorer"
        return fields


class AcceptedMarkOut(Shape):
    """An accepted mark as a row for use elsewhere. Every row names its label source. 1 means right, 0 wrong."""

    trace = serializers.IntegerField(source="trace_id")
    problem = serializers.CharField(source="trace.problem.text")
    steps = serializers.ListField(child=serializers.CharField(), source="trace.steps")
    labels = serializers.ListField(child=serializers.FloatField(allow_null=True))
    verdict = serializers.IntegerField(help_text="The first wrong step, or -1 for none.")
    source = serializers.DictField(  # type: ignore[assignment]  # also a name of DRF
        help_text="kind, name, bar, the sample's agreement with its interval, and the acceptance's id."
    )

    def labels_of(self, mark: AcceptedMark) -> list[float | None]:
        """One per step. No value after the error, or for a step that the source could not judge."""
        found = steps_of(mark.verdict, len(mark.trace.steps))
        for place in unlooked_at(mark.acceptance.scorer.kind, mark.rule, mark.said):  # type: ignore[attr-defined]  # `marks_of`
            if place != mark.verdict and place < len(found):
                found[place] = None
        return found

    def source_of(self, mark: AcceptedMark) -> dict[str, Any]:
        """What the row is based on."""
        of = mark.acceptance
        sample = {name: of.sample.get(name) for name in ("value", "low", "high", "n")}
        about = {"kind": of.scorer.kind, "name": of.scorer.name, "fingerprint": of.scorer.fingerprint}
        return {**about, "acceptance": of.pk, "bar": of.bar, "sample": sample}
