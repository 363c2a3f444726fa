"""Reads about how people get in: the browsers they are logged in with, and their second factors."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import TypeVar

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.sessions.models import Session
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation_app.sign_in_providers import SignInProvider
from labeling.models import (
    Identity,
    LoggedIn,
    Provisioned,
    ProvisionedGroup,
    ProvisionedMember,
    RecoveryCode,
    SecondFactor,
    User,
)
from labeling.queries.spelling import spelled

FORGOTTEN = "forgotten:"  # prefix of the `external_id` of people forgotten while SCIM kept them switched off
HASH_LENGTH = 48  # hexadecimal digits; three fit in an `external_id`
LONGEST_ID = 19  # digits
Row = TypeVar("Row", bound=Model)
Filters = Iterable[tuple[str, str]]  # SCIM attributes, in lower case, and their required values
PEOPLE_BY = {
    "id": "pk",
    "username": "username",
    "externalid": "provisioned__external_id",
    "emails": "email",
    "groups": "provisioned_groups__group",
}
GROUPS_BY = {"id": "pk", "displayname": "display_name", "externalid": "external_id", "members": "members__user"}
NUMBERS = ("id", "groups", "members")
OF_ANY_CASE = ("username", "emails", "displayname")  # case-insensitive, as RFC 7643 defines


def browsers_of(person: User) -> QuerySet[LoggedIn]:
    """The browsers in which the person is logged in now."""
    alive = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=timezone.now())
    return LoggedIn.objects.filter(Exists(alive), user=person)


def factors_of(person: User) -> QuerySet[SecondFactor]:
    """The person's confirmed second factors."""
    return SecondFactor.objects.filter(user=person, confirmed_at__isnull=False).order_by("pk")


def recovery_codes_left(person: User) -> int:
    """Return how many recovery codes can still be used."""
    return RecoveryCode.objects.filter(user=person, used_at=None).count()


def may_have_password(person: User) -> bool:
    """Return whether this person may have a passkey or a password, in addition to the sign-in providers.

    If PASSWORD_LOGIN_FOR names anyone, only those it names may. People who come only through a provider may not: the
    provider decides at every sign-in whether they still get in, and in which role.
    """
    named = settings.PASSWORD_LOGIN_FOR
    if named and person.username not in named:
        return False
    return person.has_usable_password() or not person.identities.exists()


def site_mails() -> bool:
    """Return whether links by mail work here: there is a mail server, and a base address for links."""
    return bool(settings.MAIL and settings.SITE_URL)


def governed_people(wanted: Filters = ()) -> QuerySet[User]:
    """The people SCIM governs: those who come only through a sign-in provider. A filter narrows them."""
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
    return _narrowed(found, wanted, PEOPLE_BY)


def people_to_tell(wanted: Filters = ()) -> QuerySet[User]:
    """The people SCIM governs, in the order in which they were created, each with their groups."""
    return governed_people(wanted).prefetch_related("provisioned_groups__group").order_by("pk")


def governed_person(number: str) -> User | None:
    """Return one of the people SCIM governs, by id."""
    return people_to_tell([("id", number)]).first()


def switched_off_by_scim(provider: SignInProvider, subject: str, email: str, said: Iterable[str]) -> bool:
    """Return whether SCIM keeps an account of this person off, and none on that is proved to be theirs.

    Proof is the address that the provider vouches for and, with the provider of SCIM, an `externalId` equal to its own
    `subject`. Anything else it `said` that matches a user name, address or `externalId` keeps people out but lets
    nobody in: some providers let people write what they like there. People forgotten while switched off are recognised
    by hashes.
    """
    proved = Q(spelled("user__email", email)) if email else Q(pk=None)
    may_be = _was_forgotten([email])
    if provider == scim_provider():
        proved |= Q(external_id=subject)
        may_be |= _was_forgotten([subject, *said])
        for text in filter(None, said):
            may_be |= Q(spelled("user__username", text)) | Q(spelled("user__email", text)) | Q(external_id=text)
    is_off = Provisioned.objects.filter(proved | may_be, user__is_active=False).exists()
    return is_off and not Provisioned.objects.filter(proved, user__is_active=True).exists()


def forgotten_names(texts: Iterable[str]) -> list[str]:
    """Return what is kept of `externalId`, address and user name: keyed hashes that ignore the case of A to Z."""
    said = [text.encode(errors="surrogatepass").lower() for text in texts if text]
    return [salted_hmac("labeling.forgotten", text, algorithm="sha256").hexdigest()[:HASH_LENGTH] for text in said]


def _was_forgotten(texts: Iterable[str]) -> Q:
    hashes = [Q(external_id__contains=one) for one in forgotten_names(texts)]
    return Q(external_id__startswith=FORGOTTEN) & reduce(or_, hashes, Q(pk=None))


def forgotten_as(texts: Iterable[str]) -> QuerySet[Provisioned]:
    """The people who were forgotten under one of these texts."""
    return Provisioned.objects.filter(_was_forgotten(texts))


def names_of_groups(person: User) -> dict[int, str]:
    """Return the SCIM groups that the person is in."""
    return {mine.group_id: mine.group.display_name for mine in person.provisioned_groups.all()}


def groups_to_tell(wanted: Filters = ()) -> QuerySet[ProvisionedGroup]:
    """The groups that SCIM keeps, narrowed by the filter if there is one."""
    return _narrowed(ProvisionedGroup.objects.all(), wanted, GROUPS_BY).order_by("pk")


def provisioned_group(number: str) -> ProvisionedGroup | None:
    """Return one of SCIM's groups, by id."""
    return groups_to_tell([("id", number)]).first()


def members_of(group: ProvisionedGroup) -> frozenset[int]:
    """Return the people in the group."""
    return frozenset(group.members.values_list("user_id", flat=True))


def _narrowed(rows: QuerySet[Row], wanted: Filters, columns: dict[str, str]) -> QuerySet[Row]:
    for attribute, value in wanted:
        if attribute in NUMBERS and not (value.isdecimal() and len(value) < LONGEST_ID):
            return rows.none()
        column, wants = columns[attribute], value.replace("\0", "")
        rows = rows.filter(spelled(column, wants) if attribute in OF_ANY_CASE else Q((column, wants)))
    return rows


def scim_provider() -> SignInProvider | None:
    """Return the provider whose `roles` SCIM's groups grant: that of SCIM_PROVIDER, else the only one."""
    providers: dict[str, SignInProvider] = settings.OIDC_PROVIDERS
    only = next(iter(providers.values())) if len(providers) == 1 else None
    return providers.get(settings.SCIM_PROVIDER, only)


def groups_of(people: Sequence[User], provider: SignInProvider) -> dict[int, frozenset[str]]:
    """Return, for each person, the groups that give roles: those of the last sign-in, except groups that SCIM keeps.

    For those, only SCIM decides who is in them.
    """
    groups: dict[int, set[str]] = {person.pk: set() for person in people}
    told = Identity.objects.filter(issuer=provider.issuer, user__in=people)
    for person, said in told.values_list("user_id", "groups"):
        groups[person] |= set(said)
    if provider == scim_provider():
        _as_scim_says(groups, frozenset(provider.roles))
    return {person: frozenset(found) for person, found in groups.items()}


def _as_scim_says(groups: dict[int, set[str]], names: frozenset[str]) -> None:
    mapped = ProvisionedGroup.objects.filter(Q(display_name__in=names) | Q(external_id__in=names))
    kept = {group.pk: names & {group.display_name, group.external_id} for group in mapped}
    for found in groups.values():
        found.difference_update(*kept.values())
    members = ProvisionedMember.objects.filter(group__in=kept, user__in=groups)
    for person, group in members.values_list("user_id", "group_id"):
        groups[person] |= kept[group]
