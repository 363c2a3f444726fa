"""Accounts that an identity provider creates, changes and switches off by SCIM.

SCIM governs people who sign in with a provider: accounts it created itself, and those created by such a sign-in.
It never governs accounts with a password, or of people who run the site: these are needed if the provider fails.
"""

from collections.abc import Callable
from dataclasses import asdict, replace

from django.db import IntegrityError, transaction
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.people import leave_all_projects
from labeling.actions.provisioned_groups import leave_all_groups
from labeling.actions.second_factors import reset_factors
from labeling.actions.switching_off import end_access
from labeling.formats.scim import ScimFault, ScimUser
from labeling.models import Delivery, Identity, Invitation, Notice, Provisioned, User
from labeling.queries.sign_in import FORGOTTEN, forgotten_as, forgotten_names, governed_people
from labeling.queries.spelling import spelled
from labeling.queries.user_names import fault_of_new_name

TAKEN = ScimFault(409, "This userName is taken.", "uniqueness")


def as_scim(person: User) -> ScimUser:
    """Return what is stored about the person."""
    kept = getattr(person, "provisioned", None)
    external = kept.external_id if kept else ""
    return ScimUser(person.username, external, person.display_name, person.email, person.is_active)


@transaction.atomic
def create_provisioned(given: ScimUser) -> User:
    """Create an account for signing in with the provider, or restore a deleted one, with the labels it had.

    Raises ScimFault.
    """
    _remember_no_more(given)
    deleted = Provisioned.objects.filter(deleted_at__isnull=False).exclude(external_id__startswith=FORGOTTEN)
    gone = deleted.filter(spelled("user__username", given.user_name)).first()
    if gone is not None:
        return _make_again(gone, given)
    _refuse_name(given.user_name)
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


def _remember_no_more(given: ScimUser) -> None:
    """Remove this account's names from those of forgotten, switched-off people: it now decides who gets in by them."""
    names = [given.external_id, given.email, given.user_name]
    again = forgotten_names(names)
    for kept in forgotten_as(names).select_for_update():
        left = [one for one in kept.external_id.removeprefix(FORGOTTEN).split(",") if one not in again]
        kept.external_id = FORGOTTEN + ",".join(left)
        kept.save(update_fields=["external_id"])


def _make_again(gone: Provisioned, given: ScimUser) -> User:
    """Restore a deleted account. Names change hands: unless `externalId` and address are the same, it may be someone
    else.

    In that case the earlier person can no longer get in, and the new one gets none of their roles, invitations and
    notices. The labels belong to the account.
    """
    person = gone.user
    same = Provisioned.objects.filter(spelled("user__email", given.email), pk=gone.pk, external_id=given.external_id)
    if not same.exists() or not (given.email or given.external_id):
        Identity.objects.filter(user=person).delete()
        leave_all_projects(person)
        _leave_unread(person)
    reset_factors(person)
    end_access(person, by=None, why="made again by SCIM")
    Provisioned.objects.filter(pk=gone.pk).update(deleted_at=None)
    return change_provisioned(person.pk, lambda _: given)


def _leave_unread(person: User) -> None:
    """Remove what was meant for the earlier person: notices, mails, invitations by user name. The invitations stay open
    for their links, because ending them would reveal to the inviter that somebody had the name.
    """
    Invitation.objects.filter(invitee=person, accepted_at=None).update(invitee=None)
    Notice.objects.filter(person=person).delete()
    Delivery.objects.filter(person=person).delete()


@transaction.atomic
def change_provisioned(number: int, change: Callable[[ScimUser], ScimUser]) -> User:
    """Apply `change` to the account while it is locked, because providers send several changes at once.

    Switching it off gives back what it holds, and ends its sessions and API tokens. Its labels stay. Raises ScimFault.
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
        _refuse_name(wanted.user_name, but=person)
    person.username, person.display_name, person.email = wanted.user_name, wanted.display_name, wanted.email
    person.is_active = wanted.active
    person.save(update_fields=["username", "display_name", "email", "is_active"])
    kept = {"external_id": wanted.external_id, "changed_at": timezone.now()}
    Provisioned.objects.update_or_create(user=person, defaults=kept)
    released = end_access(person, by=None, why="switched by SCIM") if "active" in changed else 0
    audit_log.record("person.provision", actor=None, target=f"person {person.pk}", changed=changed, released=released)
    return person


@transaction.atomic
def delete_provisioned(number: int) -> None:
    """Delete the account for the provider, and remove it from its groups. Here it is switched off, as labels depend on
    it.

    Raises ScimFault.
    """
    leave_all_groups(number)  # first: groups are locked before people everywhere
    change_provisioned(number, lambda now: replace(now, active=False))
    Provisioned.objects.update_or_create(user_id=number, defaults={"deleted_at": timezone.now()})
    audit_log.record("person.provision", actor=None, target=f"person {number}", deleted=True)


def _refuse_name(name: str, *, but: User | None = None) -> None:
    """The name is kept as the provider writes it, not normalised: by that it finds the account again."""
    if fault := fault_of_new_name(name, but=but):
        raise (
            ScimFault(409, fault.sentence, "uniqueness")
            if fault.taken
            else ScimFault(400, fault.sentence, "invalidValue")
        )
