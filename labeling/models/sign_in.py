"""Ways to sign in besides the password: logged-in browsers, second factors, recovery codes."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.models.people import User, new_export_salt


class LoggedIn(models.Model):
    """A browser in which a person is logged in, so that they can see it and end it from another one.

    The session itself decides whether it still is: a row outlives its session and is then no longer shown.
    """

    class How(models.TextChoices):
        PASSWORD = "password"
        PASSKEY = "passkey"
        PROVIDER = "provider"
        INVITATION = "invitation"

    user = models.ForeignKey(User, models.CASCADE, related_name="logged_in")
    session_key = models.CharField(max_length=40, unique=True)
    how = models.CharField(max_length=10, choices=How.choices)
    browser = models.CharField(max_length=200, blank=True, help_text="What the browser calls itself, as it came.")
    address = models.GenericIPAddressField(null=True)
    began_at = models.DateTimeField(default=timezone.now)
    provider_session = models.CharField(
        max_length=64, blank=True, db_default="", default="", help_text="A hash of issuer and sid, by which it ends."
    )


class SecondFactor(models.Model):
    """What a person proves besides the password: an app that shows codes, or a passkey, which needs no password at all.

    A code app's secret is derived from the site's own and `salt`, so the table does not reveal it. The factor counts
    once a first code was entered (`confirmed_at`).
    """

    class Kind(models.TextChoices):
        TOTP = "totp", "An app that shows codes"
        PASSKEY = "passkey", "A passkey"

    user = models.ForeignKey(User, models.CASCADE, related_name="second_factors")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=80)
    salt = models.CharField(max_length=64, default=new_export_salt, editable=False)
    credential_id = models.BinaryField(null=True, unique=True, help_text="Of a passkey.")
    credential = models.BinaryField(null=True, help_text="A passkey's public key, as WebAuthn writes it.")
    counter = models.BigIntegerField(
        default=0, help_text="The newest that was seen: a passkey's own count, or the half minute of the last code."
    )
    created_at = models.DateTimeField(default=timezone.now)
    confirmed_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user"], condition=Q(kind="totp"), name="one_code_app_a_person"),
            models.CheckConstraint(
                condition=Q(kind="totp", credential_id__isnull=True) | Q(kind="passkey", credential_id__isnull=False),
                name="passkeys_have_a_credential",
            ),
        ]


class Provisioned(models.Model):
    """An account that an identity provider created or changed by SCIM, with the provider's name for it."""

    user = models.OneToOneField(User, models.CASCADE, related_name="provisioned")
    external_id = models.CharField(max_length=200, blank=True)
    deleted_at = models.DateTimeField(null=True, help_text="Gone for the provider; here it is switched off.")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["external_id"], name="provisioned_by_external_id")]


class ProvisionedGroup(models.Model):
    """A group that an identity provider maintains by SCIM. Its members come from here, never from a token."""

    display_name = models.CharField(max_length=200, unique=True, help_text="By it or `external_id` a role is found.")
    external_id = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["external_id"], name="group_by_external_id")]


class ProvisionedMember(models.Model):
    """A member of such a group."""

    group = models.ForeignKey(ProvisionedGroup, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="provisioned_groups")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "user"], name="once_in_a_group"),
        ]


class RecoveryCode(models.Model):
    """A code that lets a person in once in place of a lost second factor. Only its hash is stored."""

    user = models.ForeignKey(User, models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "code_hash"], name="one_row_a_recovery_code"),
        ]
