"""Accounts that an identity provider makes, changes and switches off by SCIM.

It governs people who come by a sign-in provider: those that it made itself, and those whom a provider's sign-in made.
Never an account with a password, nor who runs the site: those are for the day on which the provider fails.
"""

from collections.abc import Callable
from dataclasses import asdict, replace

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.labels import release_held_labels
from labeling.actions.logged_in import end_browsers
from labeling.actions.provisioned_groups import leave_all_groups
from labeling.formats.scim import ScimFault, ScimUser
from labeling.models import Provisioned, User
from labeling.queries.sign_in import governed_people
from labeling.queries.spelling import spelled

TAKEN = ScimFault(409, "This userName is taken.", "uniqueness")


def as_scim(person: User) -> ScimUser:
    """What is kept of the person."""
    kept = getattr(person, "provisioned", None)
    external = kept.external_id if kept else ""
    return ScimUser(person.username, external, person.display_name, person.email, person.is_active)


@transaction.atomic
def create_provisioned(given: ScimUser) -> User:
    """A new account, which a sign-in provider lets in; or one that was deleted, with the labels it had.

    Raises ScimFault.
    """
    deleted = Provisioned.objects.filter(deleted_at__isnull=False)
    gone = deleted.filter(spelled("user__username", given.user_name)).first()
    if gone is not None:
        Provisioned.objects.filter(pk=gone.pk).update(deleted_at=None)
        return change_provisioned(gone.user_id, lambda _: given)
    _refuse_taken(given.user_name, User.objects.all())
    person = User(username=given.user_name, display_name=given.display_name, email=given.email)
    person.is_active = given.active
    person.set_unusable_password()
    try:
        with transaction.atomic():
            person.save(force_insert=True)
    except IntegrityError as race:
        raise TAKEN from race
    Provisioned.objects.create(user=person, external_id=given.external_id)
    audit_log.record("person.create", actor=None, target=f"person {person.pk}", superuser=False, by="scim")
    return person


@transaction.atomic
def change_provisioned(number: int, change: Callable[[ScimUser], ScimUser]) -> User:
    """Make the account what `change` makes of it while it is locked, as providers send several changes at once.

    Switching it off gives back what it holds, and ends its sessions; its labels stay. Raises ScimFault.
    """
    person = governed_people().select_related(None).select_for_update(of=("self",)).filter(pk=number).first()
    if person is None:
        raise ScimFault(404, "There is no such person.")
    before = as_scim(person)
    wanted = change(before)
    was = asdict(before)
    changed = sorted(name for name, value in asdict(wanted).items() if value != was[name])
    if not changed:
        return person
    if "user_name" in changed:
        _refuse_taken(wanted.user_name, User.objects.exclude(pk=person.pk))
    person.username, person.display_name, person.email = wanted.user_name, wanted.display_name, wanted.email
    switched_off = person.is_active and not wanted.active
    person.is_active = wanted.active
    person.save(update_fields=["username", "display_name", "email", "is_active"])
    kept = {"external_id": wanted.external_id, "changed_at": timezone.now()}
    Provisioned.objects.update_or_create(user=person, defaults=kept)
    released = _let_go(person) if switched_off else 0
    audit_log.record("person.provision", actor=None, target=f"person {person.pk}", changed=changed, released=released)
    return person


@transaction.atomic
def delete_provisioned(number: int) -> None:
    """For the provider it is gone, from its groups too; here it is switched off, since labels stand on it.

    Raises ScimFault.
    """
    leave_all_groups(number)  # first: groups are locked before people everywhere
    change_provisioned(number, lambda now: replace(now, active=False))
    Provisioned.objects.update_or_create(user_id=number, defaults={"deleted_at": timezone.now()})
    audit_log.record("person.provision", actor=None, target=f"person {number}", deleted=True)


def _let_go(person: User) -> int:
    released = 0
    for member in person.memberships.select_related("project").filter(is_active=True):
        released += release_held_labels(person, member.project)
    end_browsers(person)
    return released


def _refuse_taken(name: str, people: QuerySet[User]) -> None:
    if people.filter(username__iexact=name).exists():
        raise TAKEN
