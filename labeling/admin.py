"""Django's admin site, for superusers: mostly read-only, because data with rules is changed through the application."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.db.models import QuerySet
from django.http import HttpRequest

from labeling.actions import audit_log
from labeling.actions.api_tokens import revoke_tokens
from labeling.actions.switching_off import end_access
from labeling.models import ApiToken, AuditEvent, Invitation, Membership, Project, User
from labeling.queries.user_names import fault_of_new_name

admin.site.site_header = admin.site.site_title = "Stepmark"


class LookOnly(admin.ModelAdmin):
    """Shows rows, but cannot add, change or delete them."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Deny it."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Deny it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Deny it."""
        return False


def _actor(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _revoke(page: admin.ModelAdmin, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
    revoked = revoke_tokens(tokens, by=_actor(request), why="by an admin of the site")
    page.message_user(request, f"{revoked} API tokens revoked; programs that use them stop working at once.")


class NewName(forms.ModelForm):
    """A user name that nobody has and that looks like nobody's. Names from before may stay."""

    def clean_username(self) -> str:
        """Raises ValidationError with the way out."""
        name: str = self.cleaned_data["username"]
        renamed = self.instance if self.instance.pk else None
        fault = None if renamed and "username" not in self.changed_data else fault_of_new_name(name, but=renamed)
        if fault:
            raise forms.ValidationError(fault.sentence)
        return name


class NewPerson(NewName, AdminUserCreationForm):
    """Of *Add user*."""


class ChangedPerson(NewName, UserChangeForm):
    """Of *Change user*."""


@admin.register(User)
class PersonAdmin(UserAdmin):
    """People: reset a password or switch an account off. Accounts are never deleted, so that labels keep
    their author.
    """

    list_display = ("username", "display_name", "email", "kind", "is_active", "is_superuser")
    list_filter = ("kind", "is_active", "is_superuser")
    fieldsets = (
        (None, {"fields": ("username", "password", "display_name", "email")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("History", {"fields": ("kind", "external_id", "last_login", "date_joined")}),
    )
    add_form, form = NewPerson, ChangedPerson
    readonly_fields = ("kind", "external_id", "last_login", "date_joined")
    actions = ("revoke_tokens",)

    @admin.action(description="Revoke all API tokens of the selected people", permissions=["change"])
    def revoke_tokens(self, request: HttpRequest, people: QuerySet[User]) -> None:
        """Revoke them permanently."""
        _revoke(self, request, ApiToken.objects.filter(user__in=people))

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Deny it: switch the account off instead."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: Any) -> None:
        """Save, and end all sessions and tokens when an account is switched off or on."""
        super().save_model(request, obj, form, change)
        if change and "is_active" in form.changed_data:
            end_access(obj, by=_actor(request), why="switched by an admin of the site")

    def log_addition(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """Record it in the audit trail too."""
        audit_log.record("person.create", actor=_actor(request), target=f"person {obj.pk}", through="admin pages")
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """Record it in the audit trail too; `message` names the fields, never their values."""
        target = f"person {obj.pk}"
        audit_log.record("person.change", actor=_actor(request), target=target, through="admin pages", what=message)
        return super().log_change(request, obj, message)


@admin.register(Project)
class ProjectAdmin(LookOnly):
    """Projects."""

    list_display = ("slug", "name", "status", "created_at")


@admin.register(Membership)
class MembershipAdmin(LookOnly):
    """The members of projects."""

    list_display = ("project", "user", "role", "is_active", "joined_at")
    list_filter = ("role", "is_active")
    list_select_related = ("project", "user")


@admin.register(Invitation)
class InvitationAdmin(LookOnly):
    """Invitations, without their secrets."""

    list_display = ("project", "role", "email", "expires_at", "accepted_by", "revoked_at")
    exclude = ("token_hash",)


@admin.register(ApiToken)
class ApiTokenAdmin(LookOnly):
    """API tokens, without their secrets. Any of them can be revoked."""

    list_display = ("user", "name", "prefix", "read_only", "created_at", "expires_at", "last_used_at", "revoked_at")
    list_filter = ("read_only",)
    list_select_related = ("user",)
    search_fields = ("user__username", "name", "prefix")
    exclude = ("token_hash",)
    actions = ("revoke",)

    @admin.action(description="Revoke the selected API tokens", permissions=["view"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        """Revoke them permanently."""
        _revoke(self, request, tokens)


@admin.register(AuditEvent)
class AuditEventAdmin(LookOnly):
    """The audit trail, newest first."""

    list_display = ("at", "actor", "action", "target", "project")
    list_select_related = ("actor", "project")
    ordering = ("-id",)
    show_full_result_count = False
