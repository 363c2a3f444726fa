"""Shapes of what is ahead of a job that waits for a worker."""

from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.labels import ProjectRef
from labeling.queries.waiting import KINDS, ROUND


class WaitingIn(serializers.Serializer):
    """Which job, or which round, waits."""

    kind = serializers.ChoiceField([*KINDS, ROUND])
    id = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class JobAhead(serializers.Serializer):
    """A job or a round that workers do now, or do first."""

    kind = serializers.ChoiceField([*KINDS, ROUND])
    id = serializers.IntegerField()
    words = serializers.CharField(help_text="What people call such a job.")
    name = serializers.CharField(allow_blank=True)
    project = ProjectRef()
    running = serializers.BooleanField(help_text="A worker is at it; else it waits, too.")


class WaitingOut(serializers.Serializer):
    queue = serializers.CharField(allow_blank=True, help_text="Empty: it does not wait.")
    workers = serializers.IntegerField(help_text="How many tasks of that queue can be done at once.")
    ahead = JobAhead(many=True, help_text="Those that you may see, the first few.")
    others = serializers.IntegerField(help_text="How many more are ahead.")
