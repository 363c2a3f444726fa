"""Shapes of releases: drafts with their questions, the differences between two releases, and a released label's
history.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from rest_framework import serializers

from labeling import queries
from labeling.api.answers import Shape, With
from labeling.api.one_line import OneLine
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.people import PersonRef
from labeling.api.short_lists import ShortList
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.release_questions import BY_NAME, MOST_CHARACTERS, Question, names_note, questions_for
from labeling.models import Label, Release, ReleasePush, User
from labeling.queries.release_diffs import CHANGES

REASONS = Label.FinishReason.values
KINDS = User.Kind.values
PARTS = sorted({question.part for question in BY_NAME.values()})


class DraftReleaseIn(serializers.Serializer):
    """A draft of these exports. A known name gets its next version."""

    name = OneLine(max_length=100)
    exports = ShortList(child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), min_length=1, max_length=50)


class ReleaseAnswersIn(serializers.Serializer):
    """Answers by the question's name. Questions that are not named keep their answers."""

    answers = serializers.DictField(child=serializers.CharField(max_length=MOST_CHARACTERS, allow_blank=True))


class WithdrawReleaseIn(serializers.Serializer):
    because = serializers.CharField(
        max_length=2000, allow_blank=True, help_text="Must not be blank: others will read it."
    )


class PushReleaseIn(serializers.Serializer):
    target = serializers.CharField(max_length=100, help_text="A target that the operator configured.")


class WithoutLabelerIn(serializers.Serializer):
    labeler = serializers.CharField(max_length=200, help_text="The labeler's id in the release's files.")


class FindRowIn(serializers.Serializer):
    row = serializers.CharField(
        max_length=2_000_000, help_text="The row as JSON, the SHA-256 of its line in hex, or its number, from 1."
    )
    file = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="The release's file to search (`data/neutral-train.jsonl`). By default, the first file with such "
        "a row.",
    )


class ReleaseRef(serializers.Serializer):
    """A reference to a release."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    version = serializers.IntegerField()
    state = serializers.ChoiceField(Release.State.values)


class ReleaseSummary(ReleaseRef):
    """A release in the list."""

    status = serializers.ChoiceField(Release.Status.values)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    released_at = serializers.DateTimeField(allow_null=True)
    labels = serializers.IntegerField(source="facts.labels", default=None, allow_null=True)
    bytes = serializers.IntegerField()


class ReleaseExport(serializers.Serializer):
    """A file of the release, rendered from `With(export, path=...)`."""

    path = serializers.CharField(help_text="The file's path in the release folder.")
    id = serializers.IntegerField()
    format = serializers.ChoiceField(list(EXPORT_FORMATS))
    rows = serializers.IntegerField()
    labels = serializers.IntegerField(source="labels_total")
    sha256 = serializers.CharField()


class ReleaseQuestion(Shape):
    """A question of the card, with its answer."""

    name = serializers.CharField()
    title = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    part = serializers.ChoiceField(PARTS)
    choices = serializers.ListField(child=serializers.CharField())
    long = serializers.BooleanField()
    answer = serializers.CharField(allow_blank=True)


class ReleaseOverlap(serializers.Serializer):
    """A problem of the release that is held out, or similar to one that is."""

    problem = serializers.IntegerField()
    external_id = serializers.CharField(allow_blank=True)
    text = serializers.CharField(help_text="The beginning of the problem's text.")
    labels = serializers.IntegerField()
    kind = serializers.ChoiceField(["exact", "near"])
    held_out = serializers.CharField(help_text="The list that contains the held-out problem.")
    similarity = serializers.FloatField(help_text="The share of five-word sequences that both texts have.")
    near_to = serializers.CharField(allow_null=True)


class HeldOutList(serializers.Serializer):
    """The list of problems that was compared."""

    name = serializers.CharField()
    texts = serializers.IntegerField()
    by_hash_alone = serializers.IntegerField(
        help_text="Problems known only by their hash: similar ones cannot be found."
    )


class MeasuredOn(serializers.Serializer):
    """An evaluation set of the project with problems that the release offers for training."""

    name = serializers.CharField()
    problems = serializers.IntegerField(help_text="Problems of the set that labels of the release are about.")


class ReleaseOverlaps(serializers.Serializer):
    problems = serializers.IntegerField()
    exact = serializers.IntegerField()
    near = serializers.IntegerField()
    labels = serializers.IntegerField(help_text="Labels on held-out problems or problems similar to them.")
    lists = HeldOutList(many=True)
    rows = ReleaseOverlap(many=True)
    measured = MeasuredOn(
        many=True, default=list, help_text="Empty for releases that were checked before this check existed."
    )


class WithoutLabeler(serializers.Serializer):
    labeler = serializers.CharField()
    labels = serializers.IntegerField()


class ReleasePushOut(serializers.Serializer):
    """The push of a release to a target."""

    id = serializers.IntegerField()
    target = serializers.CharField()
    status = serializers.ChoiceField(ReleasePush.Status.values)
    address = serializers.CharField(allow_blank=True)
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)


class ReleaseOut(ReleaseSummary, Shape):
    """A release with everything on its page, rendered from `With(release, files_at_hand=..., paths=...)`."""

    supersedes = ReleaseRef(allow_null=True)
    exports = ReleaseExport(many=True)
    questions = ReleaseQuestion(many=True)
    overlaps = ReleaseOverlaps(allow_null=True, help_text="Null until the check has run.")
    without = WithoutLabeler(many=True)
    imported_names = serializers.ListField(
        child=serializers.CharField(), help_text="Labelers who appear under the name that their import gave them."
    )
    is_packed = serializers.BooleanField(help_text="Whether the folder has been built.")
    files_at_hand = serializers.BooleanField(
        help_text="Whether the server still has the files; otherwise they are packed again."
    )
    manifest_sha256 = serializers.CharField(allow_blank=True)
    released_by = PersonRef(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    withdrawn_by = PersonRef(allow_null=True)
    withdrawn_because = serializers.CharField(allow_blank=True)
    error = serializers.CharField(allow_blank=True)
    targets = serializers.ListField(
        child=serializers.CharField(), help_text="The targets that the release may be pushed to."
    )
    pushes = ReleasePushOut(many=True)

    def exports_of(self, release: With) -> Sequence[Any]:
        """The files, in the order of the folder."""
        exports = queries.releases.exports_in(release.row)
        return [With(export, path=path) for export, path in zip(exports, release.paths, strict=True)]

    def imported_names_of(self, release: With) -> list[str]:
        """The overlaps that the check found."""
        return list(release.facts.get("imported_names", []))

    def questions_of(self, release: With) -> list[With]:
        """The questions, each with its answer or an empty one."""
        found = release.overlaps
        asked = questions_for(found.get("exact", 0) + found.get("near", 0))
        names = self.imported_names_of(release)
        return [_question(one, release.answers, names) for one in asked]

    def overlaps_of(self, release: With) -> dict[str, Any] | None:
        """What the check found."""
        return release.overlaps or None

    def targets_of(self, release: With) -> list[str]:
        """The targets in the operator's settings."""
        return list(settings.RELEASE_TARGETS)

    def pushes_of(self, release: With) -> Iterable[ReleasePush]:
        """The pushes, newest first."""
        return queries.releases.pushes_of(release.row)


def _question(question: Question, answers: dict[str, str], imported: Sequence[str]) -> With:
    note = f"{question.note} {names_note(imported)}".strip() if question.name == "personal" else question.note
    return With(question, note=note, answer=answers.get(question.name, ""))


class ReleaseCardOut(serializers.Serializer):
    """The card as in README.md, without its front matter."""

    markdown = serializers.CharField()
    front_matter = serializers.CharField()


class DiffTotals(serializers.Serializer):
    same = serializers.IntegerField()
    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    changed = serializers.IntegerField(help_text="Tasks where a labeler's label was replaced by another one.")
    verdicts = serializers.IntegerField(help_text="The changed labels whose verdict is different.")


class DiffPart(serializers.Serializer):
    """The labels of one round, labeler or source that differ."""

    name = serializers.CharField()
    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    changed = serializers.IntegerField()


class DiffRowOut(serializers.Serializer):
    """A label that is not identical in both releases."""

    change = serializers.ChoiceField(CHANGES)
    label_before = serializers.IntegerField(allow_null=True)
    label_after = serializers.IntegerField(allow_null=True)
    trace = serializers.IntegerField()
    problem = serializers.CharField(allow_blank=True)
    round = serializers.IntegerField()
    labeler = serializers.CharField()
    source = serializers.ChoiceField(KINDS)  # type: ignore[assignment]  # as the column is called
    trace_source = serializers.CharField(allow_blank=True)
    reason_before = serializers.ChoiceField(REASONS, allow_null=True)
    verdict_before = serializers.IntegerField(allow_null=True)
    reason_after = serializers.ChoiceField(REASONS, allow_null=True)
    verdict_after = serializers.IntegerField(allow_null=True)
    steps = serializers.IntegerField(allow_null=True, help_text="How many ratings differ.")


class ReleaseDiffOut(serializers.Serializer):
    """The differences between two releases. `rows` has the first ones; the CSV has them all."""

    before = ReleaseRef()
    after = ReleaseRef()
    totals = DiffTotals()
    by_round = DiffPart(many=True)
    by_labeler = DiffPart(many=True)
    by_source = DiffPart(many=True)
    rows = DiffRowOut(many=True)


def diff(before: Release, after: Release) -> dict[str, Any]:
    """The data for ReleaseDiffOut."""
    found = queries.release_diffs.diff_of(before, after)
    return {"before": before, "after": after, **found, "rows": [row._asdict() for row in found["rows"]]}


def diff_table(before: Release, after: Release) -> Iterable[Sequence[Any]]:
    """The differences as table rows, with a header."""
    yield queries.release_diffs.DiffRow._fields
    yield from queries.release_diffs.diff_rows(before, after)
