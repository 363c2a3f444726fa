"""Shapes of deletion and retention: what would go, what went, a project's way out and back, a person's data."""

from rest_framework import serializers

from labeling.api.serializers.estimates import AsOf
from labeling.api.serializers.people import PersonRef
from labeling.models import ProjectMove
from labeling.queries.retention import LEAST_DAYS

MOST_DAYS = 3650


class OldOut(serializers.Serializer):
    """What is older than so many days and may go; labels, hits, votes and marks stay."""

    drafts = serializers.IntegerField(help_text="Drafts of labels that expired or were given back.")
    heads = serializers.IntegerField(help_text="Imports whose report keeps the file's first rows.")
    rollouts = serializers.IntegerField(help_text="Traces with rollouts or judges' words of sources that have ended.")


class DaysIn(serializers.Serializer):
    """How old."""

    days = serializers.IntegerField(min_value=LEAST_DAYS, max_value=MOST_DAYS, default=90)


class PruneIn(DaysIn):
    rollouts = serializers.BooleanField(default=False, help_text="Rollouts and judges' words, too.")


class ProjectMoveOut(serializers.Serializer):
    id = serializers.IntegerField()
    direction = serializers.ChoiceField(ProjectMove.Direction.values)
    status = serializers.ChoiceField(ProjectMove.Status.values)
    rows_total = serializers.IntegerField()
    rows_done = serializers.IntegerField(
        help_text="Rows written into the file, or back from it. All of them, and still running: on the way out files"
        " are written and the rows leave the database, on the way back keys are checked. That may take longer."
    )
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)


class ProjectRowsOut(AsOf):
    rows = serializers.IntegerField()


class ProjectRetentionOut(serializers.Serializer):
    """What may go of a project, and whether all of it may go to a file or come back."""

    old = OldOut()
    rows = serializers.IntegerField(
        help_text="All rows that go with the project, or went; of a large one as it was a while ago."
    )
    file = serializers.CharField(allow_blank=True, help_text="The file that it was taken out into.")
    why_not = serializers.CharField(allow_blank=True, help_text="Why it can go neither out nor back now.")
    move = ProjectMoveOut(allow_null=True, help_text="The last way out or back.")


class SiteRetentionOut(serializers.Serializer):
    old = OldOut()


class NamedPersonIn(serializers.Serializer):
    username = serializers.CharField(max_length=150)


class ForgetPersonIn(NamedPersonIn):
    again = serializers.CharField(max_length=150, help_text="The name once more.")


class GoingOut(serializers.Serializer):
    what = serializers.CharField()
    count = serializers.IntegerField()


class PersonDataOut(serializers.Serializer):
    """What of a person's data goes, or went, and what stays under a name that says nothing."""

    username = serializers.CharField()
    name_afterwards = serializers.CharField()
    why_not = serializers.CharField(allow_blank=True, help_text="Why the person cannot be forgotten now.")
    goes = GoingOut(many=True)
    stays = GoingOut(many=True)
    taken_out = serializers.ListField(
        child=serializers.CharField(),
        help_text="Projects of theirs that are out in a file now, by slug. What is in the file stays in it, and goes"
        " from the rows when they are brought back.",
    )
