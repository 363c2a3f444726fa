"""Shapes of imports of scores that were made elsewhere."""

from typing import Any

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.one_line import OneLine
from labeling.api.serializers.imports import Faults, ImportProgress
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.round_stages import SCALES
from labeling.configs.prm_families import AGGREGATIONS
from labeling.models import ScoreImport


class ScoreImportIn(serializers.Serializer):
    """The upload: a file of rows `{"trace_id" or "trace_hash", "scores": [one number a step]}`."""

    file = serializers.FileField()
    name = OneLine(max_length=100, help_text="Of the step scorer: a new one's, or one that gets more.")
    fingerprint = serializers.CharField(
        max_length=64,
        required=False,
        allow_blank=True,
        default="",
        help_text="Names the model and everything that changes its numbers. Blank: as the rows say.",
    )
    scale = serializers.ChoiceField(
        SCALES, required=False, allow_blank=True, default="", help_text="Blank: as the rows say, else probability."
    )
    aggregation = serializers.ChoiceField(
        AGGREGATIONS, default="product", help_text="How the steps' scores become the trace's."
    )
    learned_from = OneLine(
        max_length=300, required=False, allow_blank=True, default="", help_text="What the model was trained on."
    )
    dry_run = serializers.BooleanField(default=False)
    skip_faulty = serializers.BooleanField(default=False)


class ScoreCounts(serializers.Serializer):
    new = serializers.IntegerField()
    known = serializers.IntegerField(help_text="Said before, with the same numbers.")


class ScoreReport(serializers.Serializer):
    """What is in the file. In a dry run, or where `imported` is false: what would have been new."""

    rows = serializers.IntegerField()
    scores = ScoreCounts()
    without_score = serializers.IntegerField(
        help_text="Traces of the project that have no score by this scorer: a round by it leaves them out."
    )
    faults = Faults()
    imported = serializers.BooleanField()


class ScoreImportOut(Shape):
    id = serializers.IntegerField()
    file_name = serializers.CharField()
    name = serializers.CharField()
    fingerprint = serializers.CharField(help_text="Empty until the first row says it.")
    scale = serializers.ChoiceField(SCALES)
    aggregation = serializers.ChoiceField(AGGREGATIONS)
    scorer = serializers.IntegerField(
        source="scorer_id", allow_null=True, help_text="A round's `prm`. Null until done."
    )
    dry_run = serializers.BooleanField()
    skip_faulty = serializers.BooleanField()
    status = serializers.ChoiceField(ScoreImport.Status.values)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    progress = ImportProgress(source="*")
    attempts = serializers.IntegerField()
    report = ScoreReport(allow_null=True)
    error = serializers.CharField()

    def report_of(self, job: ScoreImport) -> dict[str, Any] | None:
        """Null until there is one."""
        return job.report or None
