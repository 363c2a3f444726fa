"""Errors of invitations and members."""

from labeling.errors.base import Conflict


class InvitationNotOpen(Conflict):
    """The invitation expired, was used or was revoked; `state` says which."""

    code = "invitation_not_open"


class AlreadyMember(Conflict):
    """The person is in the project already."""

    code = "already_member"
    sentence = "You are a member of this project already. Open it from your project list."


class MembershipDeactivated(Conflict):
    """A deactivated person cannot come back through a link."""

    code = "membership_deactivated"
    sentence = "Your membership was deactivated. Ask a project admin to reactivate it."


class LastAdmin(Conflict):
    """A project always keeps one active admin."""

    code = "last_admin"
    sentence = "This is the project's last active admin. Make somebody else an admin first."
