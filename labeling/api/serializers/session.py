"""Shapes of the session: who is logged in, and how to become so."""

from typing import Any

import orjson
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.models import Membership, Project

MAX_PREFERENCES = 16 * 1024


class PagePreferences(serializers.Serializer):
    """How the labeling page is shown to a person, and how they work; what is left out is as usual."""

    text_size = serializers.IntegerField(min_value=80, max_value=160, required=False, help_text="Of the usual, in %.")
    line_width = serializers.ChoiceField(["narrow", "normal", "wide"], required=False)
    density = serializers.ChoiceField(["comfortable", "compact"], required=False)
    calls = serializers.ChoiceField(
        ["shown", "folded"], required=False, help_text="Marks of a calculator within a text: <<3*4=12>>."
    )
    clock = serializers.BooleanField(required=False, help_text="Whether times are shown.")
    dwell_seconds = serializers.IntegerField(
        min_value=0, max_value=30, required=False, help_text="How long a step is read at least before it is rated."
    )
    goal = serializers.IntegerField(min_value=0, max_value=1000, required=False, help_text="Labels a day; 0: none.")
    rest_minutes = serializers.IntegerField(
        min_value=0,
        max_value=240,
        required=False,
        help_text="After so long a spell a break is proposed; 0: never.",
    )
    tasks_ahead = serializers.IntegerField(
        min_value=1, max_value=5, required=False, help_text="Tasks kept on the device for when the network goes."
    )


class KnownPreferences(serializers.Serializer):
    """What the page keeps for a person. It may keep more: the server does not look into that."""

    keys = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="By command: the key that the person chose for it."
    )
    theme = serializers.ChoiceField(["auto", "light", "dark"], required=False)
    page = PagePreferences(required=False)


@extend_schema_field(KnownPreferences)
class PreferencesField(serializers.DictField):
    """Kept as it came, once what is known of it has the shape that the page expects."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The object as it came, if what the page reads of it is of the shape that the page expects; of `page` what is
        known alone.
        """
        preferences: dict[str, Any] = super().to_internal_value(data)
        known = KnownPreferences(data=preferences)
        known.is_valid(raise_exception=True)
        return preferences | {name: value for name, value in known.validated_data.items() if name == "page"}


class SessionProject(serializers.Serializer):
    """A project in passing."""

    slug = serializers.CharField()
    name = serializers.CharField()
    status = serializers.ChoiceField(Project.Status.values)


class SessionMembership(serializers.Serializer):
    """A project the person is in, and their role there."""

    project = SessionProject()
    role = serializers.ChoiceField(Membership.Role.values)


class SessionUser(serializers.Serializer):
    """The person who is logged in."""

    id = serializers.IntegerField()
    username = serializers.CharField()
    display_name = serializers.CharField(source="shown_name")
    email = serializers.CharField()
    is_superuser = serializers.BooleanField()
    preferences = PreferencesField()
    memberships = SessionMembership(many=True, source="memberships_now")


class SignInProviderShown(serializers.Serializer):
    """A provider that people may sign in with."""

    name = serializers.CharField()
    title = serializers.CharField(source="shown_title")


class SignInWays(serializers.Serializer):
    """How people log in here."""

    providers = SignInProviderShown(many=True, help_text="OpenID Connect; none: with a password alone.")
    passwords_for_few = serializers.BooleanField(help_text="Only people whom the operator named have passwords.")
    passkeys = serializers.BooleanField(help_text="Whether people may have passkeys.")
    mail = serializers.BooleanField(help_text="Whether links go by mail: for a new password, for invitations.")


class SessionOut(serializers.Serializer):
    """Who is logged in (null: nobody) and which build of the software answers."""

    user = SessionUser(allow_null=True)
    build = serializers.CharField()
    sign_in = SignInWays()


class LoggedOutOut(SessionOut):
    """Nobody is logged in any more."""

    leave_to = serializers.CharField(
        allow_null=True, help_text="The provider's address where the person signs out there, too."
    )


class BeginSignInIn(serializers.Serializer):
    """To which page of this site the person wants to come back.

    `again`: they prove at the provider who they are, signed in there or not.
    """

    next = serializers.RegexField(r"^/(?![/\\])", max_length=2000, default="/")
    again = serializers.BooleanField(default=False)


class BeginSignInOut(serializers.Serializer):
    """Where the browser goes next: an address of the provider."""

    url = serializers.CharField()


class LogInIn(serializers.Serializer):
    """User name and password, taken as typed; `code` is of the second factor, where the person has one."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=1000, trim_whitespace=False)
    code = serializers.CharField(max_length=40, allow_blank=True, default="")


class ChangePasswordIn(serializers.Serializer):
    """The present and the new password, taken as typed."""

    old_password = serializers.CharField(max_length=1000, trim_whitespace=False)
    new_password = serializers.CharField(max_length=1000, trim_whitespace=False)
    revoke_tokens = serializers.BooleanField(default=False, help_text="All of the person's API tokens end, too.")


class PreferencesIn(serializers.Serializer):
    """The person's own settings of the page: an object of at most 16 kB."""

    preferences = PreferencesField()

    def validate_preferences(self, preferences: dict) -> dict:
        """Refuses what is too large to send with every session."""
        if len(orjson.dumps(preferences)) > MAX_PREFERENCES:
            raise serializers.ValidationError(f"Preferences take at most {MAX_PREFERENCES // 1024} kB.")
        return preferences
