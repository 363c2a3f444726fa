"""People, members, invitations and API tokens."""

from rest_framework import serializers

from labeling.api.answers import Shape, With
from labeling.api.one_line import OneLine
from labeling.models import Invitation, Membership, User
from labeling.queries.people import invitation_state

ROLES = Membership.Role.values
STATES = ["open", "expired", "used", "revoked"]


class PersonRef(serializers.Serializer):
    """A person, in the short form that others see."""

    id = serializers.IntegerField()
    display_name = serializers.CharField(source="shown_name")


class SourceRef(PersonRef):
    """A labeler: a person, or an imported labeler."""

    kind = serializers.ChoiceField(User.Kind.values)


class PersonOut(PersonRef):
    """A person as a project's admins and researchers see them."""

    username = serializers.CharField()
    email = serializers.CharField()
    kind = serializers.ChoiceField(User.Kind.values)


class MemberOut(serializers.Serializer):
    """A member with their work in the project. `active_ms`: milliseconds."""

    id = serializers.IntegerField()
    user = PersonOut()
    role = serializers.ChoiceField(ROLES)
    is_active = serializers.BooleanField()
    joined_at = serializers.DateTimeField()
    labels_submitted = serializers.IntegerField()
    active_ms = serializers.IntegerField()
    last_label_at = serializers.DateTimeField(allow_null=True)


class ListMembersIn(serializers.Serializer):
    """Which members: people, or imported labelers. Default: all."""

    kind = serializers.ChoiceField(User.Kind.values, required=False, allow_blank=True)


class ChangeRoleIn(serializers.Serializer):
    """The member's new role."""

    role = serializers.ChoiceField(ROLES)


class InvitationIn(serializers.Serializer):
    """Whom to invite, with which role, for how many days."""

    role = serializers.ChoiceField(ROLES)
    email = serializers.EmailField(required=False, allow_blank=True, default="", max_length=254)
    days = serializers.IntegerField(min_value=1, max_value=90, default=7)
    mail = serializers.BooleanField(default=False, help_text="The link is also sent to `email`.")
    username = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=150,
        help_text="The person with this user name gets a notice about it. The answer does not say whether there is "
        "one.",
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
        help_text="While it is open: why its mail could not be delivered, as the mail server said. Empty: no "
        "problem is known, or it was not mailed."
    )

    def undelivered_of(self, invitation: Invitation | With) -> str:
        """As the list passes it along with the row."""
        return getattr(invitation, "undelivered", "")

    def state_of(self, invitation: Invitation) -> str:
        """open, expired, used or revoked."""
        return invitation_state(invitation)


class NewInvitationOut(InvitationOut):
    """A new invitation with its link, which is shown only this once."""

    url_path = serializers.CharField()


class InvitedProject(serializers.Serializer):
    """Everything that a stranger with a link sees of a project."""

    name = serializers.CharField()


class OwnInvitationOut(serializers.Serializer):
    """An open invitation to you."""

    id = serializers.IntegerField()
    project = InvitedProject()
    role = serializers.ChoiceField(ROLES)
    created_by = PersonRef()
    expires_at = serializers.DateTimeField()


class PublicInvitationOut(Shape):
    """What the holder of a link sees before accepting."""

    project = InvitedProject()
    role = serializers.ChoiceField(ROLES)
    expires_at = serializers.DateTimeField()
    state = serializers.ChoiceField(STATES)

    def state_of(self, invitation: Invitation) -> str:
        """open, expired, used or revoked."""
        return invitation_state(invitation)


class AcceptInvitationIn(serializers.Serializer):
    """The account to create. If you are logged in, send nothing."""

    username = serializers.RegexField(r"^[\w.@+-]+\Z", max_length=150, required=False)
    password = serializers.CharField(max_length=1000, required=False, trim_whitespace=False)
    display_name = OneLine(max_length=120, required=False, allow_blank=True)


class TokenIn(serializers.Serializer):
    """What the token is for, in your own words, how many days it is valid, and whether it may change anything."""

    name = OneLine(max_length=80)
    days = serializers.IntegerField(
        min_value=1, max_value=3650, allow_null=True, default=None, help_text="Null: it does not expire."
    )
    read_only = serializers.BooleanField(  # type: ignore[assignment]  # the answer's name for it
        default=False, help_text="It may send only GET requests."
    )


class TokenOut(serializers.Serializer):
    """An API token. Its secret is not stored."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    prefix = serializers.CharField()
    read_only = serializers.BooleanField()  # type: ignore[assignment]  # the answer's name for it
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


class NewTokenOut(TokenOut):
    """A new API token with its secret, which is shown only this once."""

    token = serializers.CharField()
