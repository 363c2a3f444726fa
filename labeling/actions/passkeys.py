"""Passkeys (WebAuthn, by Yubico's fido2): creating one, and logging in with one, which needs no password.

A passkey is bound to the site's host name, asks its owner for a finger, a face or a number, and identifies the person
on its own. The library is not loaded before the first use.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.second_factors import PASSKEY, first_recovery_codes
from labeling.errors import NotFound, PasskeyRefused
from labeling.models import SecondFactor, User
from labeling.queries.sign_in import may_have_password

if TYPE_CHECKING:
    from fido2.server import Fido2Server

MAKING, USING = "passkey_made", "passkey_used"  # in the session: what the browser's answer is checked against
MOST = 20
# What fido2 raises if the answer is malformed or not valid. The last three: for one without a key, for a key of a
# kind that was not requested, and for endlessly nested lists.
MALFORMED = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    struct.error,
    AssertionError,
    NotImplementedError,
    RecursionError,
)


def site_of(request: HttpRequest) -> str:
    """Return the address at which people reach the site."""
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"


def _server(request: HttpRequest) -> Fido2Server:
    """Return the WebAuthn server. Raises NotFound if the operator does not allow passkeys."""
    if not settings.PASSKEYS:
        raise NotFound
    from fido2.server import Fido2Server  # noqa: PLC0415
    from fido2.webauthn import PublicKeyCredentialRpEntity  # noqa: PLC0415

    own = site_of(request)
    entity = PublicKeyCredentialRpEntity(name="Stepmark", id=urlsplit(own).hostname)
    return Fido2Server(entity, verify_origin=lambda origin: origin == own)


def _refuse_provided(person: User) -> None:
    if not may_have_password(person):
        raise PasskeyRefused("You sign in with a provider. A passkey here would bypass it, so make one there.")


def begin_passkey(request: HttpRequest, person: User) -> dict[str, Any]:
    """Return what the browser needs to create a passkey. Raises NotFound, PasskeyRefused."""
    from fido2.webauthn import PublicKeyCredentialUserEntity  # noqa: PLC0415

    server = _server(request)
    _refuse_provided(person)
    own = list(SecondFactor.objects.filter(user=person, kind=PASSKEY))
    if len(own) >= MOST:
        raise PasskeyRefused(f"You have {MOST} passkeys. Remove one before you add another.")
    who = PublicKeyCredentialUserEntity(
        id=str(person.pk).encode(), name=person.username, display_name=person.shown_name
    )
    options, state = server.register_begin(
        who,
        [_credential(factor) for factor in own],
        resident_key_requirement="required",  # type: ignore[arg-type]  # its enumeration is of words
        user_verification="required",  # type: ignore[arg-type]
    )
    request.session[MAKING] = state
    return dict(options.public_key)


def finish_passkey(
    request: HttpRequest, person: User, *, name: str, credential: dict[str, Any]
) -> tuple[SecondFactor, list[str]]:
    """Store the passkey that the browser created. A first factor comes with recovery codes.

    Raises NotFound, PasskeyRefused.
    """
    server, state = _server(request), request.session.pop(MAKING, None)
    _refuse_provided(person)
    if state is None:
        raise PasskeyRefused
    try:
        made = server.register_complete(state, credential)
        kept = made.credential_data
        assert kept is not None
    except MALFORMED as fault:
        raise PasskeyRefused from fault
    return _keep(person, name, made.counter, bytes(kept.credential_id), bytes(kept))


def _keep(person: User, name: str, counter: int, credential_id: bytes, credential: bytes) -> tuple[Any, list[str]]:
    try:
        with transaction.atomic():
            factor = SecondFactor.objects.create(
                user=person,
                kind=PASSKEY,
                name=name,
                credential_id=credential_id,
                credential=credential,
                counter=counter,
                confirmed_at=timezone.now(),
            )
            audit_log.record("second_factor.add", actor=person, target=f"factor {factor.pk}", kind=PASSKEY)
            return factor, first_recovery_codes(person)
    except IntegrityError as known:  # it already belongs to somebody
        raise PasskeyRefused from known


def begin_passkey_login(request: HttpRequest) -> dict[str, Any]:
    """Return what the browser needs to use anybody's passkey. Raises NotFound."""
    options, state = _server(request).authenticate_begin(user_verification="required")  # type: ignore[arg-type]
    request.session[USING] = state
    return dict(options.public_key)


def use_passkey(request: HttpRequest, credential: dict[str, Any]) -> User:
    """Return the person whose passkey answered. Raises NotFound, PasskeyRefused."""
    from fido2.utils import websafe_decode  # noqa: PLC0415

    server, state = _server(request), request.session.pop(USING, None)
    try:
        credential_id = websafe_decode(credential["rawId"])
    except MALFORMED as fault:
        raise PasskeyRefused from fault
    with transaction.atomic():
        found = SecondFactor.objects.select_for_update(of=("self",)).select_related("user")
        factor = found.filter(kind=PASSKEY, credential_id=credential_id).first()
        if state is None or factor is None or not factor.user.is_active or not may_have_password(factor.user):
            raise PasskeyRefused
        _hold_against(server, state, factor, credential)
        return factor.user


def _hold_against(server: Fido2Server, state: Any, factor: SecondFactor, credential: dict[str, Any]) -> None:
    """Check signature, challenge, host and count. A count that did not grow comes from a copy."""
    from fido2.webauthn import AuthenticationResponse  # noqa: PLC0415

    try:
        server.authenticate_complete(state, [_credential(factor)], credential)
        counter = AuthenticationResponse.from_dict(credential).response.authenticator_data.counter
    except MALFORMED as fault:
        raise PasskeyRefused from fault
    if counter <= factor.counter and (counter or factor.counter):
        raise PasskeyRefused
    factor.counter, factor.last_used_at = counter, timezone.now()
    factor.save(update_fields=["counter", "last_used_at"])


def _credential(factor: SecondFactor) -> Any:
    from fido2.webauthn import AttestedCredentialData  # noqa: PLC0415

    assert factor.credential is not None  # the constraint `passkeys_have_a_credential`
    return AttestedCredentialData(bytes(factor.credential))
