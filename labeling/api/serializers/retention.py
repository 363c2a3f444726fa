"""Shapes of deletion and retention: previews and results, moving a project out and back, and a person's data."""

from rest_framework import serializers

from labeling.api.serializers.estimates import AsOf
from labeling.api.serializers.people import PersonRef
from labeling.models import ProjectMove
from labeling.queries.retention import LEAST_DAYS

MOST_DAYS = 3650


class OldOut(serializers.Serializer):
    """Data older than the given number of days that may be deleted. Labels, hits, votes and marks are kept."""

    drafts = serializers.IntegerField(help_text="Drafts of labels that expired or were released.")
    heads = serializers.IntegerField(help_text="Imports whose report still has the first rows of the file.")
    rollouts = serializers.IntegerField(help_text="Traces with rollouts or judges' texts from sources that have ended.")


class DaysIn(serializers.Serializer):
    """The age from which data is deleted, and which data."""

    days = serializers.IntegerField(min_value=LEAST_DAYS, max_value=MOST_DAYS, default=90)


class PruneIn(DaysIn):
    rollouts = serializers.BooleanField(default=False, help_text="Also delete rollouts and judges' texts.")


class ProjectMoveOut(serializers.Serializer):
    id = serializers.IntegerField()
    direction = serializers.ChoiceField(ProjectMove.Direction.values)
    status = serializers.ChoiceField(ProjectMove.Status.values)
    rows_total = serializers.IntegerField()
    rows_done = serializers.IntegerField(
        help_text="Rows written into the file, or back from it. If all rows are done but the move is still running, "
        "it is writing files and deleting rows (on the way out) or checking keys (on the way back). That "
        "can take longer."
    )
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)


class ProjectRowsOut(AsOf):
    rows = serializers.IntegerField()


class ProjectRetentionOut(serializers.Serializer):
    """What would be deleted with a project, and whether the project can be moved out into a file or back."""

    old = OldOut()
    rows = serializers.IntegerField(
        help_text="All rows that are or were deleted with the project. For a large project, as counted a while ago."
    )
    file = serializers.CharField(allow_blank=True, help_text="The file that the project was moved out into.")
    why_not = serializers.CharField(allow_blank=True, help_text="Why the project cannot be moved out or back now.")
    move = ProjectMoveOut(allow_null=True, help_text="The last move out or back.")


class SiteRetentionOut(serializers.Serializer):
    old = OldOut()


class NamedPersonIn(serializers.Serializer):
    username = serializers.CharField(max_length=150)


class ForgetPersonIn(NamedPersonIn):
    again = serializers.CharField(max_length=150, help_text="The name, typed once more.")


class GoingOut(serializers.Serializer):
    what = serializers.CharField()
    count = serializers.IntegerField()


class PersonDataOut(serializers.Serializer):
    """Which of a person's data is or was deleted, and what is kept under an anonymous name."""

    username = serializers.CharField()
    name_afterwards = serializers.CharField()
    why_not = serializers.CharField(allow_blank=True, help_text="Why the person cannot be forgotten now.")
    goes = GoingOut(many=True)
    stays = GoingOut(many=True)
    taken_out = serializers.ListField(
        child=serializers.CharField(),
        help_text="The person's projects that are moved out into a file now, by slug. The data stays in the file "
        "and is removed from the rows when the project is brought back.",
    )
