"""The OpenID Connect providers that people may sign in with, from the setting OIDC_PROVIDERS."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation_app.named_settings import is_address, read_named

ROLES = ("annotator", "researcher", "admin")
NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
EXAMPLE = '{"sso": {"issuer": "https://id.example.org", "client_id": "stepmark", "secret_env": "OIDC_SECRET"}}'


@dataclass(frozen=True, kw_only=True)
class SignInProvider:
    """A provider. `issuer` is its own name for itself; its discovery is at /.well-known/openid-configuration there.

    The secret is read from the environment variable `secret_env`; without one, the client is public and uses PKCE
    alone. `roles` maps group -> slug of a project -> role. A provider with `joins_by_email` may join an account that
    was created here by its verified e-mail; with `makes_accounts` off, people without an account are refused.
    """

    name: str
    issuer: str
    client_id: str
    title: str = ""
    secret_env: str = ""
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    groups_claim: str = "groups"
    roles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    joins_by_email: bool = False
    makes_accounts: bool = True

    @property
    def discovery(self) -> str:
        """The address of its discovery document."""
        return self.issuer.rstrip("/") + "/.well-known/openid-configuration"

    @property
    def secret(self) -> str:
        """The client's secret; empty if it has none."""
        return os.environ.get(self.secret_env, "") if self.secret_env else ""

    @property
    def shown_title(self) -> str:
        """Its name on the login page."""
        return self.title or self.name


def read_sign_in_providers(text: str) -> dict[str, SignInProvider]:
    """Return the providers by name. Raises ImproperlyConfigured with the provider's name and what to write instead."""
    return read_named("OIDC_PROVIDERS", text, EXAMPLE, _provider)


def _provider(name: str, record: Any) -> SignInProvider:
    if not set(name) <= NAME:
        raise ImproperlyConfigured(f"OIDC_PROVIDERS: the name {name!r} is part of addresses: use only a-z, 0-9 and -.")
    if not isinstance(record, Mapping):
        raise ImproperlyConfigured(f"OIDC_PROVIDERS: {name} needs an object: {EXAMPLE}")
    known = {one.name for one in fields(SignInProvider)} - {"name"}
    if unknown := sorted(set(record) - known):
        raise ImproperlyConfigured(f"OIDC_PROVIDERS: {name} has unknown keys {unknown}. Known: {sorted(known)}.")
    if not is_address(record.get("issuer"), with_path=True):
        raise ImproperlyConfigured(f"OIDC_PROVIDERS: the issuer of {name} must be http(s)://host[:port]/path.")
    texts = [record.get(key, "x") for key in ("client_id", "title", "secret_env", "groups_claim")]
    if not record.get("client_id") or not all(isinstance(text, str) for text in texts):
        raise ImproperlyConfigured(
            f"OIDC_PROVIDERS: {name} needs a client_id; title, secret_env and groups_claim must be texts."
        )
    if not all(isinstance(record.get(key, True), bool) for key in ("joins_by_email", "makes_accounts")):
        raise ImproperlyConfigured(
            f"OIDC_PROVIDERS: joins_by_email and makes_accounts of {name} must be true or false."
        )
    _check_roles(name, record.get("roles", {}))
    scopes = record.get("scopes", SignInProvider.scopes)
    if not isinstance(scopes, list | tuple) or "openid" not in scopes or not all(isinstance(s, str) for s in scopes):
        raise ImproperlyConfigured(f"OIDC_PROVIDERS: scopes of {name} must be a list of texts that includes openid.")
    return SignInProvider(name=name, **{**record, "scopes": tuple(scopes)})


def _check_roles(name: str, roles: Any) -> None:
    right = isinstance(roles, Mapping) and all(
        isinstance(given, Mapping) and all(role in ROLES for role in given.values()) for given in roles.values()
    )
    if not right:
        example = '{"labelers": {"algebra": "annotator"}}'
        raise ImproperlyConfigured(f"OIDC_PROVIDERS: roles of {name} must map group -> project -> role: {example}")
