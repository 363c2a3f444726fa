"""Shapes of a release's contents: its labels and labelers, where each label came from, and where it went."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from labeling import queries
from labeling.api.answers import Shape, With
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.releases import REASONS, ReleaseRef
from labeling.api.serializers.reviews import DecisionOut
from labeling.models import Label, Release, User


class ReleasedLabelOut(Shape):
    """A label in a release. `person` is null for those who may not see which person the id stands for."""

    id = serializers.IntegerField()
    labeler = serializers.CharField(source="id_in_files")
    person = PersonRef(allow_null=True)
    trace = serializers.IntegerField(source="task.trace_id")
    round = serializers.IntegerField(source="task.round.number")
    problem_text = serializers.CharField()
    finish_reason = serializers.ChoiceField(REASONS)
    verdict = serializers.IntegerField(allow_null=True)
    submitted_at = serializers.DateTimeField()
    guideline_version = serializers.IntegerField(source="guideline.version", default=None, allow_null=True)

    def person_of(self, row: Any) -> User | None:
        """The person, for admins only."""
        return row.labeler if row.named else None

    def problem_text_of(self, label: Label) -> str:
        """The beginning of the text."""
        return label.task.trace.problem.text[:160]


class PrmTaught(serializers.Serializer):
    """A training run that learned from some of these labels, and the PRM that it produced."""

    run = serializers.IntegerField()
    prm = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_null=True)
    labels = serializers.IntegerField()


class ReleaseWithLabels(ReleaseRef):
    labels = serializers.IntegerField()


class WentIntoOut(serializers.Serializer):
    """The training runs and other files that use the labels."""

    releases = ReleaseWithLabels(many=True)
    prms = PrmTaught(many=True)


class ReleaseRuling(serializers.Serializer):
    """The reviewer's own label, which settled the task."""

    id = serializers.IntegerField()
    finish_reason = serializers.ChoiceField(REASONS)
    verdict = serializers.IntegerField(allow_null=True)
    submitted_at = serializers.DateTimeField()


class ReleaseAuditItem(serializers.Serializer):
    """The answer of a blind reviewer in a label audit."""

    label_audit = serializers.IntegerField(source="label_audit_id")
    arm = serializers.CharField()
    finish_reason = serializers.CharField()
    verdict = serializers.IntegerField(allow_null=True)


class LabelPlace(serializers.Serializer):
    """A file that contains a label."""

    file = serializers.CharField()
    number = serializers.IntegerField(
        allow_null=True, help_text="The row's number, from 1; null if a row is not one label."
    )


class IncidentOut(ReleasedLabelOut):
    """Everything about one released label: where it came from, what reviewers did, and where else it was used."""

    task = serializers.IntegerField(source="task_id")
    round_id = serializers.IntegerField(source="task.round_id")
    protocol = serializers.CharField(source="task.round.protocol")
    reason = serializers.CharField(source="task.reason", allow_blank=True, help_text="Why the trace was chosen.")
    rank = serializers.IntegerField(source="task.rank", allow_null=True)
    score = serializers.FloatField(
        source="task.score", allow_null=True, help_text="The PRM's score when the trace was chosen."
    )
    prm = serializers.CharField(source="task.round.scorer.name", default=None, allow_null=True)
    steps = serializers.ListField(child=serializers.CharField(), source="task.trace.steps")
    ratings = serializers.ListField(child=serializers.IntegerField(allow_null=True))
    active_ms = serializers.IntegerField(source="worked_ms", help_text="Active time over all versions of the label.")
    supersedes = serializers.IntegerField(source="supersedes_id", allow_null=True)
    superseded_by = serializers.IntegerField(allow_null=True)
    earlier_release = serializers.IntegerField(
        allow_null=True, help_text="The newest release that contains `supersedes`."
    )
    later_release = serializers.IntegerField(
        allow_null=True, help_text="The newest release that contains `superseded_by`."
    )
    places = LabelPlace(many=True)
    decisions = DecisionOut(many=True)
    ruling = ReleaseRuling(allow_null=True)
    audits = ReleaseAuditItem(many=True)
    went_into = WentIntoOut()


class FoundRowOut(serializers.Serializer):
    """A row's place in the release, and the labels it was made from."""

    export = serializers.IntegerField(source="export.id")
    file = serializers.CharField(help_text="The file's path in the release folder.")
    number = serializers.IntegerField(help_text="The row's number in its file, from 1.")
    labels = serializers.ListField(child=serializers.IntegerField())


class ReleaseLabelerOut(serializers.Serializer):
    """A labeler of the release. `person` is null for those who may not see it."""

    labeler = serializers.CharField()
    person = PersonRef(allow_null=True)
    labels = serializers.IntegerField()


class ReleaseLabelersOut(serializers.Serializer):
    labelers = ReleaseLabelerOut(many=True)


def labelers_of(release: Release) -> dict[str, Any]:
    """The data for ReleaseLabelersOut."""
    named = queries.releases.sees_names(release.project)
    found = queries.releases.labelers_in(release)
    return {"labelers": [{"labeler": name, "person": who if named else None, "labels": n} for who, name, n in found]}


def released_labels(release: Release, labels: Iterable[Label]) -> list[With]:
    """The rows for ReleasedLabelOut."""
    named, ids = queries.releases.sees_names(release.project), queries.labeler_ids.LabelerIds(release.project)
    return [With(label, named=named, id_in_files=ids.of_person(label.labeler)) for label in labels]


def incident(release: Release, label: Label, places: Iterable[tuple[str, int | None]]) -> With:
    """The data for IncidentOut. `places` are the files that contain the label, with its row."""
    [row] = released_labels(release, [label])
    beside = queries.releases.reviews_of(label)
    went = went_into(queries.releases.went_into(release.project, [label.pk]))
    beside["earlier_release"] = queries.releases.newest_with(release.project, label.supersedes_id)
    beside["later_release"] = queries.releases.newest_with(release.project, beside["superseded_by"])
    beside["places"] = [{"file": file, "number": number} for file, number in places]
    return With(row, **beside, ratings=queries.releases.ratings_of(label), went_into=went)


def went_into(found: dict[str, Any]) -> dict[str, Any]:
    """The data for WentIntoOut."""
    return {
        "releases": [With(release, labels=n) for release, n in found["releases"]],
        "prms": [
            {"run": run.pk, "prm": run.prm_id, "name": run.prm and run.prm.name, "labels": n}
            for run, n in found["runs"]
        ],
    }
