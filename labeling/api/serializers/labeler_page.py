"""One labeler's page."""

from rest_framework import serializers

from labeling.api.serializers.agreement import DisputedTrace
from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.home import QualityFigure
from labeling.api.serializers.labeler_figures import MedianPace, OwnRound
from labeling.api.serializers.people import ROLES, SourceRef


class GoldAnswer(serializers.Serializer):
    """The labeler's answer to a gold trace. `trace_id` is null while the reader is labeling that trace."""

    at = serializers.DateTimeField()
    passed = serializers.BooleanField()
    verdict = serializers.IntegerField(
        allow_null=True, help_text="A step from 0, -1 for no error, or null for none given."
    )
    acceptable = serializers.ListField(child=serializers.IntegerField())
    trace_id = serializers.IntegerField(allow_null=True)
    problem = serializers.CharField(help_text="Its beginning.")
    so_far = EstimateOut(help_text="Passed, counting this one and all before it.")


class LabelerGold(serializers.Serializer):
    results = GoldAnswer(many=True, help_text="The newest two hundred, oldest first.")


class OthersPace(serializers.Serializer):
    """The medians of the project's other labelers, over its newest labels. Labelers with few of them are left out."""

    labelers = serializers.IntegerField()
    least = serializers.FloatField(allow_null=True)
    most = serializers.FloatField(allow_null=True)


class LabelerDay(serializers.Serializer):
    day = serializers.DateField(help_text="UTC.")
    labels = serializers.IntegerField()
    judged = serializers.IntegerField(help_text="Labels with a rated step: the total for `hasty`.")
    hasty = serializers.IntegerField()
    seconds_a_step = serializers.FloatField(allow_null=True, help_text="Median over labels.")


class LabelerPace(MedianPace):
    seconds_a_step = serializers.FloatField(allow_null=True, help_text="Median over labels.")
    others = OthersPace()
    drift_a_week = EstimateOut(
        help_text="Change of the time per step within a week, over days, without hasty labels. 0.1 means a tenth "
        "slower."
    )
    days = LabelerDay(many=True)


class Peer(serializers.Serializer):
    """Another labeler of the same traces."""

    labeler = SourceRef()
    share = EstimateOut(help_text="Of these traces, those on which both agree. Labels that gave up do not count.")
    differing = DisputedTrace(many=True, help_text="The first three traces on which they differ, farthest apart first.")


class LabelerComment(serializers.Serializer):
    text = serializers.CharField()
    step = serializers.IntegerField()
    trace_id = serializers.IntegerField()
    round = serializers.IntegerField(help_text="Its number.")
    at = serializers.DateTimeField()


class LabelerComments(serializers.Serializer):
    count = serializers.IntegerField()
    latest = LabelerComment(many=True)


class Paid(serializers.Serializer):
    """All active time on labels made here, including gold, screening and earlier versions."""

    active_ms = serializers.IntegerField()
    money = serializers.FloatField(allow_null=True, help_text="Null: the project has no hourly rate.")
    currency = serializers.CharField(allow_blank=True)
    hourly_rate = serializers.CharField(allow_null=True)


class LabelerPageOut(serializers.Serializer):
    """One labeler's ordinary work in a project, with their gold and pay."""

    labeler = SourceRef()
    role = serializers.ChoiceField(ROLES, allow_null=True, help_text="Null: not a member.")
    is_active = serializers.BooleanField()
    paused_at = serializers.DateTimeField(allow_null=True)
    labels = serializers.IntegerField(help_text="Current labels of ordinary work made here.")
    floor_ms = serializers.IntegerField(help_text="A label with less active time per step than this is hasty.")
    figures = QualityFigure(many=True, help_text="Gold, agreement and haste, checked against the project's rules.")
    gold = LabelerGold()
    pace = LabelerPace()
    peers = Peer(many=True, help_text="The labelers with the most traces in common, at most fifty.")
    reviewed = EstimateOut(help_text="Of their traces that a reviewer ruled, those ruled the same way.")
    comments = LabelerComments()
    paid = Paid()
    rounds = OwnRound(many=True, help_text="From ordinary work. Gold counts in none of these.")
