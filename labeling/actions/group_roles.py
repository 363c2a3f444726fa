"""Roles from an identity provider's groups: given, changed and removed at every sign-in and every change by SCIM."""

from collections.abc import Collection, Sequence
from typing import Any

from django.utils import timezone

from annotation_app.sign_in_providers import SignInProvider
from labeling.actions import audit_log
from labeling.actions.labels import release_held_labels
from labeling.actions.people import revoke_invitations
from labeling.models import Membership, Project, User
from labeling.queries.projects import LADDER
from labeling.queries.sign_in import groups_of


def apply_groups(people: Sequence[User], provider: SignInProvider, named: Collection[str]) -> None:
    """Set the memberships of these people in the projects `named` to exactly what their groups give there.

    Call it in a transaction. Groups are read once the projects are locked, so that if a sign-in and a change by SCIM
    coincide, the later one decides. A project that loses its last admin this way is left to the superusers: someone
    the provider no longer vouches for must not keep it.
    """
    locked = Project.objects.select_for_update(no_key=True).filter(slug__in=named).order_by("pk")
    projects = list(locked)
    groups = groups_of(people, provider)
    for project in projects:
        for person in people:
            _apply(person, project, provider, wanted_roles(provider, groups[person.pk]).get(project.slug))


def projects_named(provider: SignInProvider, groups: Collection[str]) -> frozenset[str]:
    """Return the projects in which any of these groups gives a role."""
    return frozenset(slug for group in groups for slug in provider.roles.get(group, {}))


def wanted_roles(provider: SignInProvider, groups: Collection[str]) -> dict[str, str]:
    """Return for each project the highest role that any of the groups gives there."""
    wanted: dict[str, str] = {}
    for group in groups:
        for slug, role in provider.roles.get(group, {}).items():
            wanted[slug] = max(role, wanted.get(slug, role), key=LADDER.index)
    return wanted


def _apply(person: User, project: Project, provider: SignInProvider, role: str | None) -> None:
    member = Membership.objects.filter(project=project, user=person).first()
    before = member.role if member is not None and member.is_active else None
    if before == role:
        return
    about: dict[str, Any] = {"before": before, "after": role, "provider": provider.name}
    if role is None:
        assert member is not None  # since it has a role now
        member.is_active = False
        member.save(update_fields=["is_active"])
        about["released"] = release_held_labels(person, project)
        revoke_invitations(None, member)
    elif member is None:
        member = Membership.objects.create(project=project, user=person, role=role, joined_at=timezone.now())
    else:
        member.role, member.is_active = role, True
        member.save(update_fields=["role", "is_active"])
        if role != Membership.Role.ADMIN:
            revoke_invitations(None, member)
    audit_log.record("member.groups", actor=None, project=project, target=audit_log.of_member(member), **about)
