"""A forgotten password: a link sent by mail, valid once and for an hour, lets its owner set a new one.

The request does not reveal whether there is such an account. The login still asks for a second factor.
"""

import time
from datetime import timedelta

from axes.utils import reset
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.api_tokens import revoke_tokens
from labeling.actions.jobs import DELIVER, wake_worker
from labeling.actions.logged_in import end_browsers
from labeling.actions.outgoing_mail import LINK_HOURS, PASSWORD
from labeling.actions.people import check_password_strength
from labeling.errors import LinkOver, NoMail
from labeling.models import ApiToken, Delivery, User
from labeling.queries.sign_in import may_have_password, site_mails

PAUSE = timedelta(minutes=2)  # between two mails to one person
ANSWERED = 0.25  # seconds; writing to the outbox and waking a worker takes a tenth of this
TEXT = "Someone, probably you, asked for a new password for {name}. This link sets one. It works once, within {hours}:"


def forget_password(name: str) -> None:
    """Send a link to the account with this user name or address, if there is one that may have it. Raises NoMail.

    It takes as long if there is none: the time only reveals something if sending takes longer than ANSWERED.
    """
    if not site_mails():
        raise NoMail
    began = time.monotonic()
    _find_and_send(name)
    time.sleep(max(0.0, began + ANSWERED - time.monotonic()))


@transaction.atomic
def _find_and_send(name: str) -> None:
    found = User.objects.filter(Q(username=name) | Q(email__iexact=name), kind=User.Kind.PERSON, is_active=True)
    for person in found.exclude(email="").select_for_update(no_key=True).order_by("pk")[:5]:
        if person.has_usable_password() and may_have_password(person):
            _send_link(person)


def _send_link(person: User) -> None:
    now = timezone.now()
    sent = Delivery.objects.filter(person=person, kind=PASSWORD, created_at__gt=now - PAUSE)
    if sent.exists():
        return
    hours = "an hour" if LINK_HOURS == 1 else f"{LINK_HOURS} hours"
    text = TEXT.format(name=person.username, hours=hours)
    message = {"title": "A new password", "text": text, "path": ""}
    event = f"{PASSWORD}:{now.isoformat()}"
    delivery = Delivery.objects.create(person=person, kind=PASSWORD, event=event, message=message)
    audit_log.record("person.forgot_password", actor=None, target=f"person {person.pk}")
    wake_worker(DELIVER, delivery.pk)


@transaction.atomic
def set_forgotten_password(person_id: int, token: str, new: str) -> None:
    """Set the password. This ends the person's sessions and API tokens; passkeys and codes stay.

    Those are needed in addition to a password, so whoever got hold of the mailbox must not be able to remove them.
    Raises LinkOver, InvalidFields.
    """
    person = User.objects.select_for_update(no_key=True).filter(pk=person_id, is_active=True).first()
    if person is None or not may_have_password(person) or not default_token_generator.check_token(person, token):
        raise LinkOver
    check_password_strength(new, person, field="new_password")
    person.set_password(new)
    person.save(update_fields=["password"])
    end_browsers(person)
    revoke_tokens(ApiToken.objects.filter(user=person), by=None, why="a forgotten password was replaced")
    reset(username=person.username)
    audit_log.record("person.change_password", actor=person, by="mail")
