"""Notices, webhooks and deliveries."""

from rest_framework import serializers

from labeling.api.serializers.people import PersonRef
from labeling.api.short_lists import ShortList
from labeling.models import Delivery, NoticeKind, Webhook
from labeling.models.notices import PROJECT_KINDS


class NoticeProject(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()


class NoticeOut(serializers.Serializer):
    """A notice to the person. `path` is the page about it, or empty if there is none."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(NoticeKind.values)
    title = serializers.CharField()
    text = serializers.CharField()
    path = serializers.CharField()
    project = NoticeProject(allow_null=True)
    created_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)


class UnreadOut(serializers.Serializer):
    unread = serializers.IntegerField()


class Channels(serializers.Serializer):
    app = serializers.BooleanField()
    mail = serializers.BooleanField()


class NoticeChoicesOut(serializers.Serializer):
    """Which kinds of notices reach the person, and where. `mail`: whether this site sends mail."""

    kinds = serializers.DictField(child=Channels())
    mail = serializers.BooleanField()


class NoticeChoiceIn(serializers.Serializer):
    kind = serializers.ChoiceField(NoticeKind.values)
    channel = serializers.ChoiceField(["app", "mail"])
    on = serializers.BooleanField()


class WebhookOut(serializers.Serializer):
    id = serializers.IntegerField()
    url = serializers.CharField()
    format = serializers.ChoiceField(Webhook.Format.values)
    kinds = serializers.ListField(child=serializers.ChoiceField(PROJECT_KINDS))
    is_active = serializers.BooleanField()
    created_by = PersonRef(allow_null=True)
    created_at = serializers.DateTimeField()


class WebhooksOut(serializers.Serializer):
    """The project's webhooks, and the hosts that the operator allows."""

    results = WebhookOut(many=True)
    hosts = serializers.ListField(child=serializers.CharField())


class NewWebhookOut(WebhookOut):
    """Includes the secret, only this once."""

    secret = serializers.CharField()


class WebhookIn(serializers.Serializer):
    url = serializers.CharField(max_length=500)
    format = serializers.ChoiceField(Webhook.Format.values, default=Webhook.Format.STANDARD.value)
    kinds = ShortList(child=serializers.ChoiceField(PROJECT_KINDS), allow_empty=False, max_length=20)


class ChangeWebhookIn(serializers.Serializer):
    """What to change. Omitted fields stay as they are."""

    url = serializers.CharField(max_length=500, required=False)
    format = serializers.ChoiceField(Webhook.Format.values, required=False)
    kinds = ShortList(child=serializers.ChoiceField(PROJECT_KINDS), allow_empty=False, max_length=20, required=False)
    is_active = serializers.BooleanField(required=False)


class SecretOut(serializers.Serializer):
    secret = serializers.CharField()


class DeliveryOut(serializers.Serializer):
    """A message to a webhook. The `number` is the same for each attempt."""

    id = serializers.IntegerField()
    number = serializers.UUIDField()
    webhook_id = serializers.IntegerField()
    url = serializers.CharField(source="webhook.url")
    kind = serializers.CharField()
    title = serializers.CharField(source="message.title")
    status = serializers.ChoiceField(Delivery.Status.values)
    attempts = serializers.IntegerField()
    next_at = serializers.DateTimeField()
    last_error = serializers.CharField()
    created_at = serializers.DateTimeField()
    delivered_at = serializers.DateTimeField(allow_null=True)
