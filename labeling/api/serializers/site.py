"""The shape of the operator's page."""

from rest_framework import serializers


class SiteCheck(serializers.Serializer):
    """A check. `fault` says what is wrong and how to fix it; empty if nothing is."""

    name = serializers.CharField()
    fault = serializers.CharField()


class SiteWorker(serializers.Serializer):
    name = serializers.CharField()
    queues = serializers.ListField(child=serializers.CharField())
    processes = serializers.IntegerField()
    seen_at = serializers.DateTimeField()
    alive = serializers.BooleanField()


class SiteQueue(serializers.Serializer):
    project = serializers.CharField()
    round = serializers.IntegerField()
    labels_wanted = serializers.IntegerField()
    open_seconds = serializers.FloatField()


class SiteJobs(serializers.Serializer):
    kind = serializers.CharField()
    queued = serializers.IntegerField()
    running = serializers.IntegerField()
    oldest_seconds = serializers.FloatField(help_text="How long the oldest has waited; 0: none is waiting.")
    lost = serializers.IntegerField(help_text="Running, but without a sign of life from the worker for a minute.")


class SiteDisk(serializers.Serializer):
    name = serializers.CharField()
    path = serializers.CharField()
    free = serializers.IntegerField()
    total = serializers.IntegerField()


class SiteTable(serializers.Serializer):
    name = serializers.CharField()
    bytes = serializers.IntegerField()
    rows = serializers.IntegerField(help_text="PostgreSQL's estimate.")


class SiteStatement(serializers.Serializer):
    text = serializers.CharField()
    calls = serializers.IntegerField()
    mean_ms = serializers.FloatField()
    total_ms = serializers.FloatField()


class SiteDatabase(serializers.Serializer):
    version = serializers.CharField()
    bytes = serializers.IntegerField()
    connections = serializers.IntegerField()
    connections_most = serializers.IntegerField()
    tables = SiteTable(many=True)
    slow_statements = SiteStatement(many=True, allow_null=True, help_text="Null without pg_stat_statements.")


class SiteBackup(serializers.Serializer):
    folder = serializers.CharField(help_text="Where it was written.")
    at = serializers.DateTimeField(allow_null=True)
    bytes = serializers.IntegerField(allow_null=True)


class SiteVersions(serializers.Serializer):
    stepmark = serializers.CharField()
    python = serializers.CharField()
    django = serializers.CharField()


class SiteOut(serializers.Serializer):
    """How the site is running. `checks` are those of `manage.py doctor`; `notes` are not faults but worth knowing."""

    checks = SiteCheck(many=True)
    notes = SiteCheck(many=True)
    workers = SiteWorker(many=True)
    queues = SiteQueue(many=True)
    jobs = SiteJobs(many=True)
    disks = SiteDisk(many=True)
    database = SiteDatabase()
    backup = SiteBackup()
    versions = SiteVersions()
