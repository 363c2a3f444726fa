"""Reads about how people get in: browsers that they are logged in with, and their second factors."""

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from labeling.models import Identity, LoggedIn, RecoveryCode, SecondFactor, User

LONGEST_ID = 19  # digits


def browsers_of(person: User) -> QuerySet[LoggedIn]:
    """Where the person is logged in now."""
    alive = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=timezone.now())
    return LoggedIn.objects.filter(Exists(alive), user=person)


def factors_of(person: User) -> QuerySet[SecondFactor]:
    """The person's second factors that count."""
    return SecondFactor.objects.filter(user=person, confirmed_at__isnull=False).order_by("pk")


def recovery_codes_left(person: User) -> int:
    """How many may still be used."""
    return RecoveryCode.objects.filter(user=person, used_at=None).count()


def may_have_password(person: User) -> bool:
    """Whether PASSWORD_LOGIN_FOR leaves this person a way in besides the sign-in providers."""
    named = settings.PASSWORD_LOGIN_FOR
    return not named or person.username in named


def site_mails() -> bool:
    """Whether links by mail work here: there is a mail server, and an address that links begin with."""
    return bool(settings.MAIL and settings.SITE_URL)


def governed_people(attribute: str = "", value: str = "") -> QuerySet[User]:
    """Whom SCIM governs: people who come by a sign-in provider alone. Those of this attribute, where one is named."""
    come_by_provider = Q(provisioned__isnull=False) | Q(Exists(Identity.objects.filter(user=OuterRef("pk"))))
    found = (
        User.objects.exclude(provisioned__deleted_at__isnull=False)
        .filter(
            come_by_provider,
            kind=User.Kind.PERSON,
            is_superuser=False,
            is_staff=False,
            password__startswith=UNUSABLE_PASSWORD_PREFIX,
        )
        .select_related("provisioned")
    )
    if attribute == "id":
        return found.filter(pk=value) if value.isdecimal() and len(value) < LONGEST_ID else found.none()
    columns = {"username": "username__iexact", "externalid": "provisioned__external_id", "emails": "email__iexact"}
    return found.filter(**{columns[attribute]: value.replace("\0", "")}) if attribute else found


def governed_person(number: str) -> User | None:
    """One of them."""
    return governed_people("id", number).first()
