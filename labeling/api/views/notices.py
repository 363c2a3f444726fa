"""Notices: what a person is notified of, and where; a project's webhooks and what was sent to them."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import notices, webhook_deliveries
from labeling.api.answers import With, answer
from labeling.api.checks import SENSITIVE
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.notices import (
    ChangeWebhookIn,
    DeliveryOut,
    NewWebhookOut,
    NoticeChoiceIn,
    NoticeChoicesOut,
    NoticeOut,
    SecretOut,
    UnreadOut,
    WebhookIn,
    WebhookOut,
    WebhooksOut,
)
from labeling.queries.projects import ADMIN, get_project_as


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(NoticeOut))
@api_view(["GET"])
def list_notices(request: Request) -> Response:
    """Your notices, newest first."""
    own = queries.notices.own_notices(signed_in(request))
    return page_of(request, own, NoticeOut)


@extend_schema(responses=UnreadOut)
@api_view(["GET"])
def count_unread_notices(request: Request) -> Response:
    """How many notices you have not read, for the bell."""
    return answer(UnreadOut, {"unread": queries.notices.count_unread(signed_in(request))})


@extend_schema(request=None, responses=NoticeOut)
@api_view(["POST"])
def read_notice(request: Request, notice_id: int) -> Response:
    """Mark a notice as read."""
    notice = notices.read_notice(queries.notices.get_own_notice(signed_in(request), notice_id))
    return answer(NoticeOut, notice)


@extend_schema(request=None, responses=UnreadOut)
@api_view(["POST"])
def read_all_notices(request: Request) -> Response:
    """Mark all notices as read."""
    notices.read_all_notices(signed_in(request))
    return answer(UnreadOut, {"unread": 0})


@extend_schema(responses=NoticeChoicesOut)
@api_view(["GET"])
def get_notice_choices(request: Request) -> Response:
    """Which kinds of notices reach you, and where."""
    return answer(NoticeChoicesOut, {"kinds": queries.notices.choices_of(signed_in(request)), "mail": settings.MAIL})


@extend_schema(request=NoticeChoiceIn, responses=NoticeChoicesOut)
@api_view(["PUT"])
def choose_notices(request: Request) -> Response:
    """Switch one kind of notice on or off, in the app or by mail."""
    notices.choose_notices(signed_in(request), **read_body(request, NoticeChoiceIn))
    return answer(NoticeChoicesOut, {"kinds": queries.notices.choices_of(signed_in(request)), "mail": settings.MAIL})


@extend_schema(responses=WebhooksOut)
@api_view(["GET"])
def list_webhooks(request: Request, slug: str) -> Response:
    """The project's webhooks."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    return answer(WebhooksOut, _webhooks_of(project))


@extend_schema(request=WebhookIn, responses={201: NewWebhookOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
def add_webhook(request: Request, slug: str) -> Response:
    """Add a webhook. Its secret is shown only in this answer."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    webhook = webhook_deliveries.add_webhook(project, by=signed_in(request), **read_body(request, WebhookIn))
    return answer(NewWebhookOut, With(webhook, secret=webhook_deliveries.secret_of(webhook)), 201)


@extend_schema(request=ChangeWebhookIn, responses=WebhookOut)
@api_view(["PATCH"])
@permission_classes(SENSITIVE)
def change_webhook(request: Request, webhook_id: int) -> Response:
    """Change a webhook's address or kinds, or switch it on or off."""
    webhook = queries.notices.get_webhook(signed_in(request), webhook_id)
    changes = read_body(request, ChangeWebhookIn)
    return answer(WebhookOut, webhook_deliveries.change_webhook(webhook, by=signed_in(request), **changes))


@extend_schema(request=None, responses=WebhooksOut)
@api_view(["POST"])
def remove_webhook(request: Request, webhook_id: int) -> Response:
    """Remove a webhook and the record of what was sent to it. Returns the remaining ones."""
    webhook = queries.notices.get_webhook(signed_in(request), webhook_id)
    webhook_deliveries.remove_webhook(webhook, by=signed_in(request))
    return answer(WebhooksOut, _webhooks_of(webhook.project))


@extend_schema(request=None, responses=SecretOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def renew_webhook_secret(request: Request, webhook_id: int) -> Response:
    """Replace a webhook's secret. The new one is shown only in this answer; the old one stops working."""
    webhook = queries.notices.get_webhook(signed_in(request), webhook_id)
    return answer(SecretOut, {"secret": webhook_deliveries.renew_secret(webhook, by=signed_in(request))})


@extend_schema(request=None, responses=DeliveryOut)
@api_view(["POST"])
def try_webhook(request: Request, webhook_id: int) -> Response:
    """Send a test message to a webhook."""
    webhook = queries.notices.get_webhook(signed_in(request), webhook_id)
    return answer(DeliveryOut, webhook_deliveries.try_webhook(webhook, by=signed_in(request)))


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(DeliveryOut))
@api_view(["GET"])
def list_deliveries(request: Request, slug: str) -> Response:
    """Deliveries to the project's webhooks, newest first."""
    sent = queries.notices.project_deliveries(get_project_as(signed_in(request), slug, ADMIN))
    return page_of(request, sent, DeliveryOut)


@extend_schema(request=None, responses=DeliveryOut)
@api_view(["POST"])
def retry_delivery(request: Request, delivery_id: int) -> Response:
    """Send a failed delivery again now."""
    delivery = queries.notices.get_delivery(signed_in(request), delivery_id)
    return answer(DeliveryOut, webhook_deliveries.retry_delivery(delivery))


def _webhooks_of(project: Any) -> dict[str, Any]:
    return {"results": queries.notices.project_webhooks(project), "hosts": sorted(settings.WEBHOOK_HOSTS)}
