"""The shape of one labeler's page."""

from rest_framework import serializers

from labeling.api.serializers.agreement import DisputedTrace
from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.home import QualityFigure
from labeling.api.serializers.labeler_figures import MedianPace, OwnRound
from labeling.api.serializers.people import ROLES, SourceRef


class GoldAnswer(serializers.Serializer):
    """What they said of a gold trace. `trace_id` null: the reader is labeling it."""

    at = serializers.DateTimeField()
    passed = serializers.BooleanField()
    verdict = serializers.IntegerField(allow_null=True, help_text="A step from 0, -1: no error, null: none given.")
    acceptable = serializers.ListField(child=serializers.IntegerField())
    trace_id = serializers.IntegerField(allow_null=True)
    problem = serializers.CharField(help_text="Its beginning.")
    so_far = EstimateOut(help_text="Passed, of this one and all before it.")


class LabelerGold(serializers.Serializer):
    results = GoldAnswer(many=True, help_text="The newest two hundred, oldest first.")


class OthersPace(serializers.Serializer):
    """The medians of the project's other labelers, over its newest labels; who has few of them is left out."""

    labelers = serializers.IntegerField()
    least = serializers.FloatField(allow_null=True)
    most = serializers.FloatField(allow_null=True)


class LabelerDay(serializers.Serializer):
    day = serializers.DateField(help_text="UTC.")
    labels = serializers.IntegerField()
    judged = serializers.IntegerField(help_text="Labels with a rated step: what `hasty` is of.")
    hasty = serializers.IntegerField()
    seconds_a_step = serializers.FloatField(allow_null=True, help_text="Median over labels.")


class LabelerPace(MedianPace):
    seconds_a_step = serializers.FloatField(allow_null=True, help_text="Median over labels.")
    others = OthersPace()
    drift_a_week = EstimateOut(
        help_text="Change of the time a step within a week, without hasty labels: 0.1 is a tenth slower; over days."
    )
    days = LabelerDay(many=True)


class Peer(serializers.Serializer):
    """Somebody who labeled the same traces."""

    labeler = SourceRef()
    share = EstimateOut(help_text="Of these traces, those of which both say the same; who gave up says nothing.")
    differing = DisputedTrace(many=True, help_text="The first three where they differ, farthest apart first.")


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
    """All active time on labels made here: gold, screening and earlier versions too."""

    active_ms = serializers.IntegerField()
    money = serializers.FloatField(allow_null=True, help_text="Null: the project has no hourly rate.")
    currency = serializers.CharField(allow_blank=True)
    hourly_rate = serializers.CharField(allow_null=True)


class LabelerPageOut(serializers.Serializer):
    """One labeler's ordinary work in a project, beside gold and pay."""

    labeler = SourceRef()
    role = serializers.ChoiceField(ROLES, allow_null=True, help_text="Null: no member.")
    is_active = serializers.BooleanField()
    paused_at = serializers.DateTimeField(allow_null=True)
    labels = serializers.IntegerField(help_text="Of ordinary work, made here, that stand.")
    floor_ms = serializers.IntegerField(help_text="Under so much active time a step a label is hasty.")
    figures = QualityFigure(many=True, help_text="Gold, agreement and haste, under the project's rules.")
    gold = LabelerGold()
    pace = LabelerPace()
    peers = Peer(many=True, help_text="Those who share most traces, at most fifty.")
    reviewed = EstimateOut(help_text="Of their traces that a reviewer ruled, those ruled as they said.")
    comments = LabelerComments()
    paid = Paid()
    rounds = OwnRound(many=True, help_text="Of ordinary work: gold counts in none of these.")
