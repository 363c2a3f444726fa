"""Signing in with an OpenID Connect provider: whose account it is, and which roles the provider's groups give and
remove.

Only the first sign-in loads `openid` and its HTTP client.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone

from annotation_app.sign_in_providers import SignInProvider
from labeling.actions import api_tokens, audit_log
from labeling.actions.group_roles import apply_groups, projects_named
from labeling.actions.logged_in import end_browsers
from labeling.actions.people import start_session
from labeling.actions.provider_logouts import provider_session
from labeling.actions.second_factors import reset_factors
from labeling.errors import NotFound, SignInRefused
from labeling.formats.user_names import mixed_scripts, skeleton
from labeling.models import ApiToken, Identity, LoggedIn, Provisioned, User
from labeling.queries.people import joinable_by_email
from labeling.queries.sign_in import switched_off_by_scim
from labeling.queries.spelling import names_that_begin_like

if TYPE_CHECKING:
    from labeling.actions import openid

BEGUN = "sign_in_begun"  # in the session: state -> what must be known when the browser comes back
WITH = "signed_in_with"  # in the session: the provider and its ID token, to sign out there
MOST_BEGUN = 5
SECONDS = 600
CLOCKS_DIFFER = 60  # seconds between our clock and the provider's
NAMELESS = "person"
NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")


def get_provider(name: str) -> SignInProvider:
    """Return the provider of this name. Raises NotFound."""
    provider: SignInProvider | None = settings.OIDC_PROVIDERS.get(name)
    if provider is None:
        raise NotFound
    return provider


def begin(request: HttpRequest, name: str, *, next_page: str, again: bool = False) -> str:
    """Return the provider's address to send the browser to. With `again`, people have to prove there who they are, even
    if they are signed in.

    Raises NotFound, ProviderFailed.
    """
    from labeling.actions import openid  # noqa: PLC0415

    provider = get_provider(name)
    going = openid.to_provider(provider, _back_to(request, name), again=again)
    begun = dict(request.session.get(BEGUN, {}))
    while len(begun) >= MOST_BEGUN:
        begun.pop(min(begun, key=lambda state: begun[state]["at"]))
    begun[going.state] = {
        "provider": name,
        "nonce": going.nonce,
        "verifier": going.verifier,
        "next": next_page,
        "again": again,
        "at": int(time.time()),
    }
    request.session[BEGUN] = begun
    return going.url


def finish(request: HttpRequest, name: str, *, state: str, code: str) -> str:
    """Start the session of who came back. Returns the page to go to. Raises NotFound, SignInRefused, ProviderFailed."""
    provider = get_provider(name)
    begun = _take_begun(request, state)
    if begun is None or begun["provider"] != name or not code:
        raise SignInRefused(why="expired" if begun is None else "refused")
    from labeling.actions import openid  # noqa: PLC0415

    vouched = openid.from_provider(
        provider, _back_to(request, name), code=code, verifier=begun["verifier"], nonce=begun["nonce"]
    )
    person = person_of(provider, vouched)
    proved_at = vouched.proved_at or 0  # a provider that does not say may have let in anybody at that browser
    if begun.get("again") and proved_at < begun["at"] - CLOCKS_DIFFER:
        raise SignInRefused(why="not_proved")
    start_session(request, person, how=LoggedIn.How.PROVIDER, proved_at=proved_at)
    request.session[WITH] = {"provider": name, "id_token": vouched.id_token}
    ours = LoggedIn.objects.filter(session_key=request.session.session_key)
    ours.update(provider_session=provider_session(provider, vouched.sid))
    return str(begun["next"])


def where_to_leave(request: HttpRequest) -> str | None:
    """Return where this session's person can sign out at the provider too. Ask before the session ends."""
    came = request.session.get(WITH) or {}
    provider = settings.OIDC_PROVIDERS.get(came.get("provider", ""))
    if provider is None:
        return None
    from labeling.actions import openid  # noqa: PLC0415

    return openid.leave_url(provider, came["id_token"], f"{_site(request)}/login")


def person_of(provider: SignInProvider, vouched: openid.Vouched) -> User:
    """Return the account of this issuer and subject, with the roles of its groups today. Raises SignInRefused."""
    try:
        return _person_of(provider, vouched)
    except IntegrityError:  # two first sign-ins at once: the other one created the account
        return _person_of(provider, vouched)


@transaction.atomic
def _person_of(provider: SignInProvider, vouched: openid.Vouched) -> User:
    known = Identity.objects.select_for_update(of=("self",)).select_related("user")
    identity = known.filter(issuer=provider.issuer, subject=vouched.subject).first()
    if identity is None:
        identity = _new_identity(provider, vouched)
    person = identity.user
    by_scim = Provisioned.objects.filter(user=person).exists()
    if not person.is_active or (not by_scim and _switched_off(provider, vouched)):
        raise SignInRefused(why="switched_off")
    identity.last_used_at = timezone.now()
    identity.groups = sorted(vouched.groups & provider.roles.keys())
    identity.save(update_fields=["last_used_at", "groups"])
    apply_groups([person], provider, projects_named(provider, provider.roles))
    return person


def _switched_off(provider: SignInProvider, vouched: openid.Vouched) -> bool:
    return switched_off_by_scim(provider, vouched.subject, vouched.email, vouched.said)


def _new_identity(provider: SignInProvider, vouched: openid.Vouched) -> Identity:
    """Link the identity to an account created here, if the operator lets this provider do so, or to a new one.

    Never links to an account that another provider's identity leads to, nor to a superuser's. Whoever created the
    account entered its address, and nobody verified it, so what gave access until now no longer does. Refuses people
    whom SCIM switched off.
    """
    if _switched_off(provider, vouched):
        raise SignInRefused(why="switched_off")
    joined = joinable_by_email(vouched.email) if provider.joins_by_email and vouched.email else None
    if joined is None and not provider.makes_accounts:
        raise SignInRefused(why="no_account")
    person = joined or _new_person(vouched)
    if joined is not None:
        _shut_other_doors(joined, provider)
    identity = Identity.objects.create(issuer=provider.issuer, subject=vouched.subject, user=person)
    about: dict[str, Any] = {"provider": provider.name, "joined_by_email": joined is not None}
    audit_log.record("identity.create", actor=person, target=f"person {person.pk}", **about)
    return identity


def _shut_other_doors(person: User, provider: SignInProvider) -> None:
    """Revoke its password, the sessions it started, passkeys, and API tokens."""
    person.set_unusable_password()
    person.save(update_fields=["password"])
    end_browsers(person)
    reset_factors(person)
    tokens = ApiToken.objects.filter(user=person)
    api_tokens.revoke_tokens(tokens, by=person, why=f"joined by {provider.name}")


def _new_person(vouched: openid.Vouched) -> User:
    person = User(username=_free_name(vouched), display_name=vouched.display_name, email=vouched.email)
    person.set_unusable_password()
    person.save(force_insert=True)
    audit_log.record("person.create", actor=person, target=f"person {person.pk}", superuser=False)
    return person


def _free_name(vouched: openid.Vouched) -> str:
    """The name that the provider says, with a number where somebody has it or one that looks the same.

    One of mixed scripts, as nobody is given it here, becomes "person": who signs in cannot choose another.
    """
    wanted = NOT_IN_NAMES.sub("", User.normalize_username(vouched.username))[:140] or NAMELESS
    if mixed_scripts(wanted):
        wanted = NAMELESS
    taken = {form for name in names_that_begin_like(wanted) for form in (name.lower(), skeleton(name))}
    number, name = 1, wanted
    while name.lower() in taken or skeleton(name) in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _take_begun(request: HttpRequest, state: str) -> dict[str, Any] | None:
    """Return what was begun with this state: once, and within ten minutes."""
    all_begun = dict(request.session.get(BEGUN, {}))
    begun = all_begun.pop(state, None)
    if begun is not None:
        request.session[BEGUN] = all_begun
    return begun if begun is not None and time.time() - begun["at"] < SECONDS else None


def _site(request: HttpRequest) -> str:
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"


def _back_to(request: HttpRequest, name: str) -> str:
    return f"{_site(request)}/api/session/providers/{name}/callback"
