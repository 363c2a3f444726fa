"""Shapes of the session: who is logged in, and how to log in."""

from typing import Any

import orjson
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.models import Membership, Project

MAX_PREFERENCES = 16 * 1024


class PagePreferences(serializers.Serializer):
    """A person's settings for the labeling page. Settings that are left out have their defaults."""

    text_size = serializers.IntegerField(
        min_value=80, max_value=160, required=False, help_text="Percentage of the default size."
    )
    line_width = serializers.ChoiceField(["narrow", "normal", "wide"], required=False)
    density = serializers.ChoiceField(["comfortable", "compact"], required=False)
    calls = serializers.ChoiceField(
        ["shown", "folded"], required=False, help_text="Calculator marks inside a text: <<3*4=12>>."
    )
    clock = serializers.BooleanField(required=False, help_text="Whether times are shown.")
    dwell_seconds = serializers.IntegerField(
        min_value=0, max_value=30, required=False, help_text="Seconds to read a step before it can be rated."
    )
    goal = serializers.IntegerField(
        min_value=0, max_value=1000, required=False, help_text="Labels per day; 0: no goal."
    )
    rest_minutes = serializers.IntegerField(
        min_value=0,
        max_value=240,
        required=False,
        help_text="Minutes of work after which a break is suggested; 0: never.",
    )
    tasks_ahead = serializers.IntegerField(
        min_value=1, max_value=5, required=False, help_text="Tasks kept on the device in case the network fails."
    )


class KnownPreferences(serializers.Serializer):
    """What the page stores for a person. It may store more keys, which the server does not check."""

    keys = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="The key that the person chose for each command."
    )
    theme = serializers.ChoiceField(["auto", "light", "dark"], required=False)
    page = PagePreferences(required=False)


@extend_schema_field(KnownPreferences)
class PreferencesField(serializers.DictField):
    """Stored unchanged, once the known keys have the shape that the page expects."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The object unchanged, if its known keys have the right shape. Of `page`, only the known keys."""
        preferences: dict[str, Any] = super().to_internal_value(data)
        known = KnownPreferences(data=preferences)
        known.is_valid(raise_exception=True)
        return preferences | {name: value for name, value in known.validated_data.items() if name == "page"}


class SessionProject(serializers.Serializer):
    """A reference to a project."""

    slug = serializers.CharField()
    name = serializers.CharField()
    status = serializers.ChoiceField(Project.Status.values)


class SessionMembership(serializers.Serializer):
    """A project that the person belongs to, and their role there."""

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
    """A provider that people can sign in with."""

    name = serializers.CharField()
    title = serializers.CharField(source="shown_title")


class SignInWays(serializers.Serializer):
    """How people log in here."""

    providers = SignInProviderShown(many=True, help_text="OpenID Connect providers; empty: only passwords.")
    passwords_for_few = serializers.BooleanField(help_text="Only people named by the operator have passwords.")
    passkeys = serializers.BooleanField(help_text="Whether people can have passkeys.")
    mail = serializers.BooleanField(help_text="Whether links for new passwords and invitations are sent by mail.")


class SessionOut(serializers.Serializer):
    """Who is logged in (null: nobody), and which build of the software answers."""

    user = SessionUser(allow_null=True)
    build = serializers.CharField()
    sign_in = SignInWays()


class LoggedOutOut(SessionOut):
    """The answer to a logout."""

    leave_to = serializers.CharField(
        allow_null=True, help_text="The provider's URL at which the person also signs out there."
    )


class BeginSignInIn(serializers.Serializer):
    """The page of this site to return to.

    `again`: the person must prove to the provider who they are, even if they are signed in there.
    """

    next = serializers.RegexField(r"^/(?![/\\])", max_length=2000, default="/")
    again = serializers.BooleanField(default=False)


class BeginSignInOut(serializers.Serializer):
    """Where the browser goes next: a URL of the provider."""

    url = serializers.CharField()


class LogInIn(serializers.Serializer):
    """User name and password, exactly as typed. `code` is for the second factor, if the person has one."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=1000, trim_whitespace=False)
    code = serializers.CharField(max_length=40, allow_blank=True, default="")


class ChangePasswordIn(serializers.Serializer):
    """The current and the new password, exactly as typed."""

    old_password = serializers.CharField(max_length=1000, trim_whitespace=False)
    new_password = serializers.CharField(max_length=1000, trim_whitespace=False)
    revoke_tokens = serializers.BooleanField(default=False, help_text="Also revoke all of the person's API tokens.")


class PreferencesIn(serializers.Serializer):
    """The person's own settings of the page: an object of at most 16 kB."""

    preferences = PreferencesField()

    def validate_preferences(self, preferences: dict) -> dict:
        """Refuse settings that are too large to send with every session."""
        if len(orjson.dumps(preferences)) > MAX_PREFERENCES:
            raise serializers.ValidationError(f"Preferences take at most {MAX_PREFERENCES // 1024} kB.")
        return preferences
