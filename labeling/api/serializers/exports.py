"""Exports."""

from collections.abc import Mapping
from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.people import PersonRef
from labeling.api.short_lists import ShortList
from labeling.formats.export_config import AGREEMENTS, ROLES, SPLITS, STATEMENTS
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.exports.containers import CONTAINERS, JSON_LINES
from labeling.formats.exports.export_format import KINDS, Group
from labeling.models import Export, LabelPush
from labeling.protocol.submission import FINISH_REASONS


class TimeAsText(serializers.DateTimeField):
    """A timestamp as stored in JSON: ISO 8601."""

    def to_internal_value(self, value: Any) -> str:  # type: ignore[override]
        """Raises ValidationError."""
        moment: str = super().to_internal_value(value).isoformat()
        return moment


class ExportFilters(serializers.Serializer):
    """Which labels to export: by round, finish reason, split and subject of the problem, labeler, agreement of the
    task's labels, and time of submission. Empty: all.
    """

    rounds = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), required=False, max_length=1000
    )
    finish = ShortList(child=serializers.ChoiceField(FINISH_REASONS), required=False, max_length=4)
    split = serializers.ChoiceField(SPLITS, required=False, allow_blank=True)
    labelers = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        required=False,
        max_length=1000,
        help_text="Ids of people with labels in the project. The manifest has UUIDs, as have the rows of people here.",
    )
    subjects = ShortList(
        child=serializers.CharField(max_length=100), required=False, max_length=1000, help_text="Of problems."
    )
    agreement = serializers.ChoiceField(
        AGREEMENTS,
        required=False,
        allow_blank=True,
        help_text="Only tasks with two or more labels that agree, or disagree, about the first error.",
    )
    since = TimeAsText(required=False, help_text="Submitted at this time or later.")
    until = TimeAsText(required=False, help_text="Submitted before.")


class ExportIn(serializers.Serializer):
    """What to export. `GET /api/export_formats` lists the options. A role that is not given is "unknown"."""

    format = serializers.ChoiceField(list(EXPORT_FORMATS))
    filters = ExportFilters(default=dict)
    switches = serializers.DictField(child=serializers.CharField(max_length=40), default=dict)
    container = serializers.ChoiceField(list(CONTAINERS), default=JSON_LINES.name)
    gzip = serializers.BooleanField(
        default=False, help_text="For JSON lines only. A Parquet file is already compressed."
    )
    roles = serializers.DictField(child=serializers.CharField(max_length=1000, allow_blank=True), default=dict)
    statements = serializers.DictField(child=serializers.CharField(max_length=10_000, allow_blank=True), default=dict)


class ExportPreviewOut(serializers.Serializer):
    """What an export would contain if it were made now."""

    labels = serializers.IntegerField()
    excluded = serializers.IntegerField(help_text="Further matching labels that were excluded by hand.")


class SwitchChoiceOut(serializers.Serializer):
    """A value of a switch and what it means, worded to follow the switch's title."""

    value = serializers.CharField()
    means = serializers.CharField()


class SwitchOut(serializers.Serializer):
    """An option of a format. With only one choice, it is fixed."""

    name = serializers.CharField()
    title = serializers.CharField()
    choices = SwitchChoiceOut(many=True, help_text="The first choice is the default.")
    on_form = serializers.BooleanField(help_text="False: the page does not offer it.")


class CompanionOut(serializers.Serializer):
    """A companion file of an export."""

    name = serializers.CharField()
    means = serializers.CharField()


class ContainerOut(serializers.Serializer):
    """The file type that holds the rows. Every format works with every container."""

    name = serializers.ChoiceField(list(CONTAINERS))
    title = serializers.CharField()
    means = serializers.CharField()
    ending = serializers.CharField(help_text="Of the file's name, before `.gz`.")
    content_type = serializers.CharField()


class ExportFormatOut(serializers.Serializer):
    """A format with all its options."""

    name = serializers.ChoiceField(list(EXPORT_FORMATS))
    title = serializers.CharField()
    kind = serializers.ChoiceField(list(KINDS))
    means = serializers.CharField(help_text="What it is for.")
    loses = serializers.CharField(help_text="What its rows cannot hold.")
    group = serializers.ChoiceField(get_args(Group), help_text="What one or more rows are made from.")
    switches = SwitchOut(many=True)
    companions = CompanionOut(many=True, help_text="`GET /api/exports/{id}/companions/{name}`.")


class ExportKindOut(serializers.Serializer):
    """What formats of a kind have in common."""

    name = serializers.ChoiceField(list(KINDS))
    title = serializers.CharField()
    means = serializers.CharField()


class ManifestEntryOut(serializers.Serializer):
    """A role or statement of the manifest, and how people are asked for it."""

    name = serializers.CharField()
    title = serializers.CharField()


class ExportFormatsOut(serializers.Serializer):
    """The options of an export."""

    formats = ExportFormatOut(many=True)
    containers = ContainerOut(many=True, help_text="The first is the default.")
    kinds = ExportKindOut(many=True, help_text="In the order in which a form offers them.")
    roles = ManifestEntryOut(many=True)
    statements = ManifestEntryOut(many=True)


class ExportConfigOut(serializers.Serializer):
    """What was requested. An export of an older version lacks options that were added later."""

    filters = ExportFilters(required=False)
    switches = serializers.DictField(child=serializers.CharField(), required=False)
    container = serializers.ChoiceField(list(CONTAINERS), required=False)
    gzip = serializers.BooleanField(required=False)
    roles = serializers.DictField(child=serializers.CharField(), required=False)
    statements = serializers.DictField(child=serializers.CharField(), required=False)


@extend_schema_field(ExportConfigOut)
class ExportConfigField(serializers.JSONField):
    """As stored in the row."""


class ExportProgress(serializers.Serializer):
    labels_done = serializers.IntegerField()
    labels_total = serializers.IntegerField()


class LeftOut(serializers.Serializer):
    """Labels left out by a switch or by hand."""

    excluded = serializers.IntegerField(required=False, help_text="Excluded by hand (*Labels*), whatever the switches.")
    hasty = serializers.IntegerField(required=False)
    aided = serializers.IntegerField(required=False, help_text="Given or changed after a machine's view was seen.")
    gold = serializers.IntegerField(required=False)
    surplus = serializers.IntegerField(required=False)
    imported = serializers.IntegerField(required=False)
    measured = serializers.IntegerField(required=False, help_text="On problems of an evaluation set of the project.")
    one_a_task = serializers.IntegerField(required=False, help_text="On tasks that another label stands for.")
    unsettled = serializers.IntegerField(
        required=False, help_text="On tasks without a row, because they are not settled."
    )
    labelers = serializers.IntegerField(
        required=False, help_text="Removed with their labelers in a later version of a release."
    )


class WithoutRows(serializers.Serializer):
    """Labels without a row, by reason if it is known."""

    labels = serializers.IntegerField()
    no_verdict = serializers.IntegerField(required=False)
    no_run = serializers.IntegerField(required=False, help_text="On traces that are not runs, in formats for runs.")
    other = serializers.IntegerField(required=False)
    leaves_out = serializers.CharField(help_text="What the format's rows cannot hold.")


class ExportOut(serializers.Serializer):
    id = serializers.IntegerField()
    format = serializers.ChoiceField(list(EXPORT_FORMATS))
    config = ExportConfigField()
    status = serializers.ChoiceField(Export.Status.values)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    progress = ExportProgress(source="*")
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    snapshot_id = serializers.CharField(help_text="Exports with the same snapshot id have the same bytes.")
    left_out = serializers.SerializerMethodField()
    without_rows = serializers.SerializerMethodField(
        help_text="Labels that the format makes no row of. Null: not counted."
    )
    error = serializers.CharField()

    @extend_schema_field(LeftOut)
    def get_left_out(self, export: Export) -> dict[str, int]:
        """Labels left out, by switch, or by hand (`excluded`). A switch that left out no label is absent."""
        found: dict[str, int] = export.manifest.get("left_out", {})
        return found

    @extend_schema_field(WithoutRows(allow_null=True))
    def get_without_rows(self, export: Export) -> dict[str, Any] | None:
        """Absent for an export that is not finished, or is older than this count."""
        found = export.manifest.get("without_rows")
        leaves_out = EXPORT_FORMATS[export.format].loses
        return None if found is None else {**found, "labels": sum(found.values()), "leaves_out": leaves_out}


class LabelPushOut(serializers.Serializer):
    """Labels being pushed to the service that recorded the runs."""

    id = serializers.IntegerField()
    target = serializers.CharField()
    status = serializers.ChoiceField(LabelPush.Status.values)
    scores_total = serializers.IntegerField(help_text="Scores of the export that the worker has handled so far.")
    scores_sent = serializers.IntegerField(help_text="Of those, the ones that the service did not have yet.")
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)


class LabelPushesOut(serializers.Serializer):
    """Where an export can be sent, and where it was sent."""

    targets = serializers.ListField(child=serializers.CharField(), help_text="The services that accept it, by name.")
    pushes = LabelPushOut(many=True, help_text="The newest first.")


class PushExportIn(serializers.Serializer):
    target = serializers.CharField(max_length=100, help_text="A name from the setting LABEL_TARGETS.")


class LabelSortsOut(serializers.Serializer):
    """How many submitted labels a project has, and how many of them each switch of an export concerns."""

    labels = serializers.IntegerField()
    gold = serializers.IntegerField(help_text="Gold, screening, and imported quality control.")
    surplus = serializers.IntegerField()
    imported = serializers.IntegerField()


def all_formats() -> dict[str, Any]:
    """The value for ExportFormatsOut: every format, and what a manifest may say in addition to the figures."""
    kinds = [{"name": name, **words._asdict()} for name, words in KINDS.items()]
    about = {"roles": _entries(ROLES), "statements": _entries(STATEMENTS)}
    return {"formats": EXPORT_FORMATS.values(), "containers": CONTAINERS.values(), "kinds": kinds, **about}


def _entries(titles: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "title": title} for name, title in titles.items()]
