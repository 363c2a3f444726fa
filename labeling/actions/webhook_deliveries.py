"""Sends mail and webhooks from an outbox table, retrying until each is accepted or given up.

A message may arrive twice (if a worker died after sending it), so it carries a number by which the receiver can tell.
The caller passes in the transport: `worker/webhooks.py` knows how to make a request, and where it may go.
"""

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime, timedelta
from email.errors import MessageError
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.invitation_news import tell_undelivered
from labeling.actions.jobs import DELIVER, send_task
from labeling.actions.outgoing_mail import AddressRefused, NotSent, send_mail
from labeling.errors import HostNotAllowed, InvalidFields
from labeling.models import Delivery, Project, User, Webhook
from labeling.webhook_address import host_of

SECRET_PREFIX = "whsec_"
TRIED = "An admin is testing this webhook."
LEASE = timedelta(minutes=2)  # longer than one attempt can take
# The waits after the first, second, ... attempt. After the last attempt, the message is given up.
PAUSES = [timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720)]
# Sends the body with these headers to the address. Raises DeliveryRefused with what the receiver, or a rule, said.
Post = Callable[[str, bytes, dict[str, str]], None]


class DeliveryRefused(Exception):
    """The message was not accepted. The text tells an admin why."""


def deliver(delivery_id: int, post: Post, now: datetime | None = None) -> Delivery | None:
    """Send one message, if it is due and nobody else is sending it. Returns it in its new state."""
    now = now or timezone.now()
    due = queries.notices.due_deliveries(now).filter(pk=delivery_id)
    if not due.order_by().update(next_at=now + LEASE, attempts=F("attempts") + 1):
        return None
    rows = Delivery.objects.select_related("webhook__project", "person", "invitation", "project")
    delivery = rows.get(pk=delivery_id)
    try:
        if delivery.webhook is None:
            send_mail(delivery)
        elif not delivery.webhook.is_active:
            raise DeliveryRefused("The webhook is switched off.")
        else:
            body = orjson.dumps(_BODIES[delivery.webhook.format](delivery))
            post(delivery.webhook.url, body, headers_of(delivery, delivery.webhook, body, now))
    # OSError: no connection, TLS, mail server away. The last two: no mail can be built from it.
    except (DeliveryRefused, NotSent, OSError, MessageError, ValueError) as fault:
        # The inviter is notified and can hand over a link. Other mail may wait until a server is fixed.
        for_good = delivery.invitation is not None and isinstance(fault, (NotSent, AddressRefused))
        _note_failure(delivery, str(fault) or type(fault).__name__, now, for_good=for_good)
    else:
        Delivery.objects.filter(pk=delivery.pk).update(
            status=Delivery.Status.DELIVERED, delivered_at=timezone.now(), last_error=""
        )
    delivery.refresh_from_db()
    return delivery


def sweep_deliveries(at_most: int = 200) -> int:
    """Wake workers for due messages. Returns the number of messages."""
    due = list(queries.notices.due_deliveries(timezone.now()).values_list("pk", flat=True)[:at_most])
    for delivery_id in due:
        send_task(DELIVER, delivery_id, expires=60)
    return len(due)


def headers_of(delivery: Delivery, webhook: Webhook, body: bytes, now: datetime) -> dict[str, str]:
    """Return what a receiver checks: the HMAC-SHA256, in hex, of "<time>.<body>" with the webhook's secret.

    The time (seconds since 1970) is included, so that an old message cannot be replayed later. The `webhook-*` headers
    follow Standard Webhooks 1.0, for which there are libraries.
    """
    number, at, secret = str(delivery.number), str(int(now.timestamp())), secret_of(webhook)
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    key = b64decode(secret.removeprefix(SECRET_PREFIX))  # as those libraries read a secret: 64 hex digits are 48 bytes
    standard = hmac.new(key, f"{number}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "Content-Type": "application/json",
        "User-Agent": "Stepmark",
        "Stepmark-Delivery": number,
        "Stepmark-Signature": f"t={at},v1={signed}",
        "webhook-id": number,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{b64encode(standard).decode()}",
    }


def secret_of(webhook: Webhook) -> str:
    """Return the webhook's secret: made from the site's key and the webhook's salt, so not readable in the table."""
    key = settings.SECRET_KEY.encode()
    return SECRET_PREFIX + hmac.new(key, f"webhook:{webhook.salt}".encode(), hashlib.sha256).hexdigest()


@transaction.atomic
def add_webhook(
    project: Project, *, by: User, url: str, kinds: list[str], format: str = Webhook.Format.STANDARD
) -> Webhook:
    """Create a webhook. Raises HostNotAllowed, InvalidFields."""
    _require_allowed(url)
    webhook = Webhook.objects.create(project=project, url=url, kinds=sorted(set(kinds)), format=format, created_by=by)
    _audit("webhook.add", webhook, by, host=host_of(url), format=format)
    return webhook


@transaction.atomic
def change_webhook(webhook: Webhook, *, by: User, **changes: Any) -> Webhook:
    """Change the address, format or kinds, or switch it on or off. Raises HostNotAllowed, InvalidFields."""
    if "url" in changes:
        _require_allowed(changes["url"])
    for name, value in changes.items():
        setattr(webhook, name, value)
    webhook.save(update_fields=list(changes))
    _audit("webhook.change", webhook, by, changed=sorted(changes))
    return webhook


@transaction.atomic
def remove_webhook(webhook: Webhook, *, by: User) -> None:
    """Remove a webhook and the record of what was sent to it."""
    _audit("webhook.remove", webhook, by, host=host_of(webhook.url))
    webhook.delete()


@transaction.atomic
def renew_secret(webhook: Webhook, *, by: User) -> str:
    """Create a new secret, which applies at once and is shown only now."""
    webhook.salt = Webhook._meta.get_field("salt").get_default()
    webhook.save(update_fields=["salt"])
    _audit("webhook.renew_secret", webhook, by)
    return secret_of(webhook)


def try_webhook(webhook: Webhook, *, by: User) -> Delivery:
    """Send a test message."""
    message = {
        "kind": "try",
        "event": f"try:{timezone.now().isoformat()}",
        "project": webhook.project.slug,
        "title": "A test message",
        "text": TRIED,
        "path": "",
        "facts": {},
    }
    about = {"project": webhook.project, "kind": "try", "event": message["event"]}
    delivery = Delivery.objects.create(webhook=webhook, message=message, **about)
    transaction.on_commit(lambda: send_task(DELIVER, delivery.pk))
    return delivery


def retry_delivery(delivery: Delivery) -> Delivery:
    """Send a message again now, with all attempts available again."""
    undone = Delivery.objects.filter(pk=delivery.pk).exclude(status=Delivery.Status.DELIVERED)
    undone.update(status=Delivery.Status.WAITING, attempts=0, next_at=timezone.now())
    transaction.on_commit(lambda: send_task(DELIVER, delivery.pk))
    delivery.refresh_from_db()
    return delivery


@transaction.atomic
def _note_failure(delivery: Delivery, why: str, now: datetime, *, for_good: bool) -> None:
    rows = Delivery.objects.filter(pk=delivery.pk, status=Delivery.Status.WAITING)
    if for_good or delivery.attempts > len(PAUSES):
        if rows.update(status=Delivery.Status.FAILED, last_error=why[:1000]) and delivery.invitation is not None:
            tell_undelivered(delivery.invitation)
    else:
        rows.update(next_at=now + PAUSES[delivery.attempts - 1], last_error=why[:1000])


def _body(delivery: Delivery) -> dict[str, Any]:
    link = f"{settings.SITE_URL}{delivery.message['path']}" if settings.SITE_URL else delivery.message["path"]
    return {"id": str(delivery.number), "sent_for": delivery.created_at.isoformat(), "link": link, **delivery.message}


def _slack_body(delivery: Delivery) -> dict[str, Any]:
    """Return the project, title, text and link as the body of a Slack message.

    The format: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks

    Names given by people stay text: `<`, with which Slack mentions everybody or links, is escaped.
    """
    message, project = delivery.message, delivery.project
    title = f"{project.name}: {message['title']}" if project else message["title"]
    lines = [f"*{_slack_text(title)}*", _slack_text(message["text"])]
    if settings.SITE_URL and message["path"]:
        lines.append(f"<{_slack_text(settings.SITE_URL + message['path'])}|Open in Stepmark>")
    return {"text": "\n".join(lines)}


def _slack_text(text: str) -> str:
    """Escape text as in https://docs.slack.dev/messaging/formatting-message-text, "Escaping text"."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_BODIES = {Webhook.Format.STANDARD.value: _body, Webhook.Format.SLACK.value: _slack_body}


def _require_allowed(url: str) -> None:
    """Raise InvalidFields or HostNotAllowed unless the address may receive webhooks."""
    host = host_of(url)
    if host is None:
        raise InvalidFields(fields={"url": ["Give an address that begins with https:// and names a host."]})
    if host not in settings.WEBHOOK_HOSTS:
        raise HostNotAllowed(host=host)


def _audit(action: str, webhook: Webhook, by: User, **detail: Any) -> None:
    audit_log.record(action, actor=by, project=webhook.project, target=f"webhook {webhook.pk}", **detail)
