"""Shapes of the queue in front of a waiting job."""

from rest_framework import serializers

from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.labels import ProjectRef
from labeling.queries.waiting import KINDS, ROUND


class WaitingIn(serializers.Serializer):
    """The job or round that is waiting."""

    kind = serializers.ChoiceField([*KINDS, ROUND])
    id = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class JobAhead(serializers.Serializer):
    """A job or round that workers are doing now, or will do first."""

    kind = serializers.ChoiceField([*KINDS, ROUND])
    id = serializers.IntegerField()
    words = serializers.CharField(help_text="The name of this kind of job, for people.")
    name = serializers.CharField(allow_blank=True)
    project = ProjectRef()
    running = serializers.BooleanField(help_text="A worker is doing it; otherwise it is waiting too.")


class WaitingOut(serializers.Serializer):
    queue = serializers.CharField(allow_blank=True, help_text="Empty if it is not waiting.")
    workers = serializers.IntegerField(help_text="How many tasks of this queue can be done at once.")
    ahead = JobAhead(many=True, help_text="The first few that you may see.")
    others = serializers.IntegerField(help_text="How many more are ahead.")
