"""Mail to people: notices that they chose, links to set a password, and invitations.

No table stores links that let someone in. An invitation's link is derived from the site's secret and the message's
number. A password link is signed when the mail is sent.
"""

import base64
import hashlib
import hmac
from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from uuid import UUID

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.utils import timezone

from labeling.formats.names import one_line
from labeling.models import Delivery, User

PASSWORD = "password"
INVITATION = "invitation"
LINK_HOURS = settings.PASSWORD_RESET_TIMEOUT // 3600
NOT_ASKED = "If you did not ask for this, you can ignore this message: your password stays as it is."
CHOSEN = "To choose which messages you get by mail, open Account in the app."


class NotSent(Exception):
    """There is nobody left to send it to. The text says why."""


class AddressRefused(OSError):
    """The mail server permanently refuses this address (5yz). The text is its answer."""


def send_mail(delivery: Delivery) -> None:
    """Send one message. Raises NotSent, AddressRefused, OSError."""
    if not settings.MAIL:  # the web process that queued it has one
        raise OSError("This worker has no EMAIL_URL. Restart it with the same settings as the web server.")
    to = _address(delivery)
    title, text = _words(delivery)
    # A title that names the project needs it no second time.
    project = delivery.project.name if delivery.project and delivery.kind != INVITATION else ""
    where = f"{project}: " if project and project not in title else ""
    message = EmailMessage(
        one_line(f"[Stepmark] {where}{title}"),  # not only CR and LF end a header line
        text,
        to=[to],
        headers={"Message-ID": f"<{delivery.number}@stepmark>", "Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except SMTPRecipientsRefused as refused:
        code, said = next(iter(refused.recipients.values()))  # there was one recipient
        words = f"{code} {one_line(said.decode(errors='replace'))}"
        raise (AddressRefused if 500 <= code < 600 else OSError)(words) from refused


def invitation_secret(number: UUID) -> str:
    """Return the secret of the invitation link in the message with this number."""
    key = settings.SECRET_KEY.encode()
    made = hmac.new(key, f"invitation:{number}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def reset_path(person: User) -> str:
    """Return the page where this person sets a new password: valid once, for PASSWORD_RESET_TIMEOUT seconds."""
    return f"/new-password/{person.pk}/{default_token_generator.make_token(person)}"


def _address(delivery: Delivery) -> str:
    person, invitation = delivery.person, delivery.invitation
    if invitation is not None:
        if invitation.revoked_at or invitation.accepted_at or invitation.expires_at < timezone.now():
            raise NotSent("The invitation is no longer open.")
        return invitation.email
    if person is None or not person.email or not person.is_active:
        raise NotSent("The person no longer has an address.")
    if delivery.kind == PASSWORD and delivery.created_at < timezone.now() - timedelta(hours=1):
        raise NotSent("The person asked for the link more than an hour ago.")
    return person.email


def _words(delivery: Delivery) -> tuple[str, str]:
    message = delivery.message
    path, ending = message["path"], CHOSEN
    if delivery.kind == PASSWORD:
        assert delivery.person is not None  # the constraint `delivery_goes_to_one`
        path, ending = reset_path(delivery.person), NOT_ASKED
    elif delivery.kind == INVITATION:
        path, ending = f"/invitations/{invitation_secret(delivery.number)}", "Only one person can use this link."
    link = f"\n\n{settings.SITE_URL}{path}" if settings.SITE_URL and path else ""
    return message["title"], f"{message['text']}{link}\n\n{ending}"
