"""Shapes of people, members, invitations and API tokens."""

from rest_framework import serializers

from labeling.api.answers import Shape, With
from labeling.api.one_line import OneLine
from labeling.models import Invitation, Membership, User
from labeling.queries.people import invitation_state

ROLES = Membership.Role.values
STATES = ["open", "expired", "used", "revoked"]


class PersonRef(serializers.Serializer):
    """A person as others see them in passing."""

    id = serializers.IntegerField()
    display_name = serializers.CharField(source="shown_name")


class SourceRef(PersonRef):
    """A labeler: a person, or somebody whose labels came with an import."""

    kind = serializers.ChoiceField(User.Kind.values)


class PersonOut(PersonRef):
    """A person as a project's admins and researchers see them."""

    username = serializers.CharField()
    email = serializers.CharField()
    kind = serializers.ChoiceField(User.Kind.values)


class MemberOut(serializers.Serializer):
    """A member with the work they did in the project. `active_ms`: milliseconds."""

    id = serializers.IntegerField()
    user = PersonOut()
    role = serializers.ChoiceField(ROLES)
    is_active = serializers.BooleanField()
    joined_at = serializers.DateTimeField()
    labels_submitted = serializers.IntegerField()
    active_ms = serializers.IntegerField()
    last_label_at = serializers.DateTimeField(allow_null=True)


class ListMembersIn(serializers.Serializer):
    """Which members: people, or imported labelers. Without it everybody."""

    kind = serializers.ChoiceField(User.Kind.values, required=False, allow_blank=True)


class ChangeRoleIn(serializers.Serializer):
    """The role a member gets."""

    role = serializers.ChoiceField(ROLES)


class InvitationIn(serializers.Serializer):
    """Whom to invite, as what, for how many days."""

    role = serializers.ChoiceField(ROLES)
    email = serializers.EmailField(required=False, allow_blank=True, default="", max_length=254)
    days = serializers.IntegerField(min_value=1, max_value=90, default=7)
    mail = serializers.BooleanField(default=False, help_text="The link goes to `email`, too.")
    username = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=150,
        help_text="Who has this name here finds it in their notices. The answer does not say whether anybody does.",
    )


class InvitationOut(Shape):
    """An invitation in the project's list."""

    id = serializers.IntegerField()
    role = serializers.ChoiceField(ROLES)
    email = serializers.CharField()
    username = serializers.CharField()
    state = serializers.ChoiceField(STATES)
    created_at = serializers.DateTimeField()
    created_by = PersonRef()
    expires_at = serializers.DateTimeField()
    accepted_by = PersonRef(allow_null=True)
    undelivered = serializers.CharField(
        help_text="Why its mail could not be delivered, while it is open: what the mail server said. Empty: nothing"
        " speaks against it, or it was not mailed."
    )

    def undelivered_of(self, invitation: Invitation | With) -> str:
        """As the list puts it beside the row."""
        return getattr(invitation, "undelivered", "")

    def state_of(self, invitation: Invitation) -> str:
        """open, expired, used or revoked."""
        return invitation_state(invitation)


class NewInvitationOut(InvitationOut):
    """A new invitation with its link, which is shown this once."""

    url_path = serializers.CharField()


class InvitedProject(serializers.Serializer):
    """All that a stranger with a link learns of a project."""

    name = serializers.CharField()


class OwnInvitationOut(serializers.Serializer):
    """An open invitation to the person who asks."""

    id = serializers.IntegerField()
    project = InvitedProject()
    role = serializers.ChoiceField(ROLES)
    created_by = PersonRef()
    expires_at = serializers.DateTimeField()


class PublicInvitationOut(Shape):
    """What somebody who holds the link sees before accepting."""

    project = InvitedProject()
    role = serializers.ChoiceField(ROLES)
    expires_at = serializers.DateTimeField()
    state = serializers.ChoiceField(STATES)

    def state_of(self, invitation: Invitation) -> str:
        """open, expired, used or revoked."""
        return invitation_state(invitation)


class AcceptInvitationIn(serializers.Serializer):
    """The account to make; a person who is logged in already sends nothing."""

    username = serializers.RegexField(r"^[\w.@+-]+\Z", max_length=150, required=False)
    password = serializers.CharField(max_length=1000, required=False, trim_whitespace=False)
    display_name = OneLine(max_length=120, required=False, allow_blank=True)


class TokenIn(serializers.Serializer):
    """What the token is for, in the person's words; for how many days, and whether it may change anything."""

    name = OneLine(max_length=80)
    days = serializers.IntegerField(
        min_value=1, max_value=3650, allow_null=True, default=None, help_text="Null: it never ends by itself."
    )
    read_only = serializers.BooleanField(  # type: ignore[assignment]  # the answer's name for it
        default=False, help_text="It may send GET alone."
    )


class TokenOut(serializers.Serializer):
    """An API token; its secret is not kept."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    prefix = serializers.CharField()
    read_only = serializers.BooleanField()  # type: ignore[assignment]  # the answer's name for it
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


class NewTokenOut(TokenOut):
    """A new API token with its secret, which is shown this once."""

    token = serializers.CharField()
