"""Shapes of exports."""

from typing import Any

from rest_framework import serializers

from labeling.api.serializers.people import PersonRef
from labeling.formats.export_config import FINISH_REASONS, SPLITS
from labeling.formats.exports import EXPORT_FORMATS
from labeling.models import Export

LARGEST_ID = 2**63 - 1


class ExportFilters(serializers.Serializer):
    """Which labels: of these rounds, with these finish reasons, on problems of this split. Empty: all."""

    rounds = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), required=False, max_length=1000
    )
    finish = serializers.ListField(child=serializers.ChoiceField(FINISH_REASONS), required=False, max_length=4)
    split = serializers.ChoiceField(SPLITS, required=False, allow_blank=True)


class ExportIn(serializers.Serializer):
    """What to export. Switches, roles and statements are listed in docs/formats.md; what is not said is "unknown"."""

    format = serializers.ChoiceField(list(EXPORT_FORMATS))
    filters = ExportFilters(default=dict)
    switches = serializers.DictField(child=serializers.CharField(max_length=40), default=dict)
    gzip = serializers.BooleanField(default=False)
    roles = serializers.DictField(child=serializers.CharField(max_length=1000, allow_blank=True), default=dict)
    statements = serializers.DictField(child=serializers.CharField(max_length=10_000, allow_blank=True), default=dict)


class ExportProgress(serializers.Serializer):
    labels_done = serializers.IntegerField()
    labels_total = serializers.IntegerField()


class ExportOut(serializers.Serializer):
    id = serializers.IntegerField()
    format = serializers.ChoiceField(list(EXPORT_FORMATS))
    config = serializers.JSONField()
    status = serializers.ChoiceField(Export.Status.values)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    progress = ExportProgress()
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    snapshot_id = serializers.CharField(help_text="Exports with the same snapshot id have the same bytes.")
    error = serializers.CharField()


def export_out(export: Export) -> dict[str, Any]:
    """An export as the API shows it."""
    by = export.created_by
    return {
        "id": export.pk,
        "format": export.format,
        "config": export.config,
        "status": export.status,
        "created_at": export.created_at,
        "created_by": {"id": by.pk, "display_name": by.shown_name} if by else None,
        "finished_at": export.finished_at,
        "progress": {"labels_done": export.labels_done, "labels_total": export.labels_total},
        "rows": export.rows,
        "bytes": export.bytes,
        "sha256": export.sha256,
        "snapshot_id": export.snapshot_id,
        "error": export.error,
    }
