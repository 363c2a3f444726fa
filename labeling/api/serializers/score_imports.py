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
    """The upload: a file with rows `{"trace_id" or "trace_hash", "scores": [one number per step]}`."""

    file = serializers.FileField()
    name = OneLine(max_length=100, help_text="Name of a new step scorer, or of an existing one that gets more scores.")
    fingerprint = serializers.CharField(
        max_length=64,
        required=False,
        allow_blank=True,
        default="",
        help_text="Identifies the model and everything that changes its numbers. Blank: as the rows say.",
    )
    scale = serializers.ChoiceField(
        SCALES, required=False, allow_blank=True, default="", help_text="Blank: as the rows say, otherwise probability."
    )
    aggregation = serializers.ChoiceField(
        AGGREGATIONS, default="product", help_text="How step scores are combined into the trace's score."
    )
    learned_from = OneLine(
        max_length=300, required=False, allow_blank=True, default="", help_text="What the model was trained on."
    )
    dry_run = serializers.BooleanField(default=False)
    skip_faulty = serializers.BooleanField(default=False)


class ScoreCounts(serializers.Serializer):
    new = serializers.IntegerField()
    known = serializers.IntegerField(help_text="Imported before, with the same numbers.")


class ScoreReport(serializers.Serializer):
    """What the file contains. In a dry run, or if `imported` is false: what would have been new."""

    rows = serializers.IntegerField()
    scores = ScoreCounts()
    without_score = serializers.IntegerField(
        help_text="Traces of the project without a score by this scorer. A round that uses the scorer leaves them out."
    )
    faults = Faults()
    imported = serializers.BooleanField()


class ScoreImportOut(Shape):
    id = serializers.IntegerField()
    file_name = serializers.CharField()
    name = serializers.CharField()
    fingerprint = serializers.CharField(help_text="Empty until the first row gives it.")
    scale = serializers.ChoiceField(SCALES)
    aggregation = serializers.ChoiceField(AGGREGATIONS)
    scorer = serializers.IntegerField(
        source="scorer_id", allow_null=True, help_text="The id to use as a round's `prm`. Null until done."
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
        """Null until it exists."""
        return job.report or None
