"""Errors of invitations and members."""

from labeling.errors.base import Conflict


class InvitationNotOpen(Conflict):
    """The invitation expired, was used or was revoked; `state` says which."""

    code = "invitation_not_open"


class AlreadyMember(Conflict):
    """The person is already in the project."""

    code = "already_member"
    sentence = "You are already a member of this project. Open it from your project list."


class MembershipDeactivated(Conflict):
    """A deactivated member cannot rejoin through an invitation."""

    code = "membership_deactivated"
    sentence = "Your membership was deactivated. Ask a project admin to reactivate it."


class LastAdmin(Conflict):
    """A project must have at least one active admin."""

    code = "last_admin"
    sentence = "This is the project's last active admin. Make another member an admin first."
