"""Groups that an identity provider creates, changes and deletes by SCIM, and the roles that come and go with them.

A group gives the roles that OIDC_PROVIDERS lists for its name or `externalId`. Once a group is stored here, SCIM alone
decides who is in it; tokens no longer count for it (`labeling.queries.sign_in.groups_of`).
"""

from collections.abc import Callable, Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.group_roles import apply_groups, projects_named
from labeling.formats.scim import ScimFault
from labeling.formats.scim_groups import ScimGroup
from labeling.models import Identity, ProvisionedGroup, ProvisionedMember, User
from labeling.queries.sign_in import governed_people, members_of, scim_provider

TAKEN = ScimFault(409, "This displayName is taken.", "uniqueness")
NOBODY = "There is no such person: {numbers}. Members are people that SCIM keeps, and no groups."
MOST_SAID = 10


def as_scim_group(group: ProvisionedGroup) -> ScimGroup:
    """Return what is stored about the group."""
    return ScimGroup(group.display_name, group.external_id, members_of(group))


@transaction.atomic
def create_group(given: ScimGroup) -> ProvisionedGroup:
    """Create a group. From now on its members, and nobody else, have its roles, and tokens no longer count for it.

    Raises ScimFault.
    """
    try:
        with transaction.atomic():
            group = ProvisionedGroup.objects.create(display_name=given.display_name, external_id=given.external_id)
    except IntegrityError as taken:
        raise TAKEN from taken
    _set_members(group, frozenset(), given.members)
    _apply(given.members | _told_by_tokens(given.keys), given.keys)
    audit_log.record("group.create", actor=None, target=_called(group), by="scim", members=len(given.members))
    return group


@transaction.atomic
def change_group(number: int, change: Callable[[ScimGroup], ScimGroup]) -> None:
    """Apply `change` to the group while it is locked, because providers send several changes at once.

    People who leave lose the roles that no other group gives them, and give back what they hold. Raises ScimFault.
    """
    group = _locked(number)
    before = as_scim_group(group)
    wanted = change(before)
    if wanted == before:
        return
    group.display_name, group.external_id = wanted.display_name, wanted.external_id
    group.changed_at = timezone.now()
    try:
        with transaction.atomic():
            group.save()
    except IntegrityError as taken:
        raise TAKEN from taken
    _set_members(group, before.members, wanted.members)
    touched = before.members ^ wanted.members
    if before.keys != wanted.keys:
        touched |= before.members | _told_by_tokens(wanted.keys)
    _apply(touched, before.keys | wanted.keys)
    counts: dict[str, Any] = {
        "came": len(wanted.members - before.members),
        "went": len(before.members - wanted.members),
    }
    audit_log.record("group.provision", actor=None, target=_called(group), **counts)


@transaction.atomic
def delete_group(number: int) -> None:
    """Delete the group. Its members lose the roles that no other group gives them. Raises ScimFault."""
    group = _locked(number)
    before = as_scim_group(group)
    target = _called(group)
    group.delete()
    _apply(before.members, before.keys)
    audit_log.record("group.delete", actor=None, target=target, went=len(before.members))


def leave_all_groups(number: int) -> None:
    """Remove a person deleted at the provider from all its groups. Call it in a transaction."""
    mine = ProvisionedGroup.objects.filter(members__user=number).select_for_update(of=("self",)).order_by("pk")
    keys = frozenset({key for group in mine for key in (group.display_name, group.external_id)} - {""})
    ProvisionedMember.objects.filter(user=number).delete()
    _apply({number}, keys)


def _locked(number: int) -> ProvisionedGroup:
    group = ProvisionedGroup.objects.select_for_update().filter(pk=number).first()
    if group is None:
        raise ScimFault(404, "There is no such group.")
    return group


def _called(group: ProvisionedGroup) -> str:
    return f"group {group.pk} ({group.display_name})"


def _set_members(group: ProvisionedGroup, before: frozenset[int], wanted: frozenset[int]) -> None:
    came = wanted - before
    known = set(governed_people().filter(pk__in=came).values_list("pk", flat=True))
    if unknown := sorted(came - known):
        raise ScimFault(400, NOBODY.format(numbers=", ".join(map(str, unknown[:MOST_SAID]))), "invalidValue")
    ProvisionedMember.objects.filter(group=group, user__in=before - wanted).delete()
    rows = [ProvisionedMember(group=group, user_id=number) for number in sorted(came)]
    ProvisionedMember.objects.bulk_create(rows, ignore_conflicts=True)


def _told_by_tokens(keys: frozenset[str]) -> frozenset[int]:
    """Return people whose last sign-in put them in one of these groups, even if they can log in another way."""
    provider = scim_provider()
    if provider is None or not projects_named(provider, keys):
        return frozenset()
    told = Identity.objects.filter(issuer=provider.issuer, groups__overlap=sorted(keys))
    return frozenset(told.values_list("user", flat=True))


def _apply(touched: Collection[int], keys: frozenset[str]) -> None:
    """Drop these groups from what these people's last sign-in said, and update their roles."""
    provider = scim_provider()
    if provider is None or not touched or not projects_named(provider, keys):
        return
    by_token: list[int] = []
    told = Identity.objects.select_for_update().filter(issuer=provider.issuer, user__in=touched)
    for identity in told.filter(groups__overlap=sorted(keys)).order_by("pk"):
        identity.groups = [group for group in identity.groups if group not in keys]
        identity.save(update_fields=["groups"])
        by_token.append(identity.user_id)  # even if they have a password: the role came from the token
    governed = governed_people().filter(pk__in=touched).values("pk")
    people = list(User.objects.filter(Q(pk__in=governed) | Q(pk__in=by_token)).order_by("pk"))
    apply_groups(people, provider, projects_named(provider, keys))
