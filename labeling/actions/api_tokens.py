"""API tokens: keys for programs. Only the SHA-256 of a token is stored, and the token is shown once."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.allowances import require_token_left
from labeling.errors import NotFound
from labeling.models import ApiToken, User
from labeling.queries.people import keep_active
from labeling.queries.prepared_sql import Columns, execute_prepared, one_line, read_each

PREFIX = "smk_"
SHOWN = 12
USE_IS_NOTED_EVERY = timedelta(minutes=1)
TOKEN = Columns(ApiToken, "id", "last_used_at", "read_only")
OWNER = Columns(User)
OWNER_OF_TOKEN = one_line(f"""
    SELECT {TOKEN.of("token")}, {OWNER.of("person")}
    FROM labeling_apitoken token JOIN labeling_user person ON person.id = token.user_id
    WHERE token.token_hash = %(hash)s AND token.revoked_at IS NULL AND person.is_active
        AND (token.expires_at IS NULL OR token.expires_at > now())
""")


def hash_of(secret: str) -> str:
    """Return the hex SHA-256 under which a random secret is stored. (Random: no salt, no slow hash needed.)"""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def create_token(person: User, name: str, *, days: int | None = None, read_only: bool = False) -> tuple[ApiToken, str]:
    """Create a token. Returns it and its secret, which cannot be read again. It expires after `days`; None: never.

    Raises AllowanceUsed, PermissionDenied.
    """
    keep_active(person)
    require_token_left(person)
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=person,
        name=name,
        prefix=secret[:SHOWN],
        token_hash=hash_of(secret),
        read_only=read_only,
        expires_at=None if days is None else timezone.now() + timedelta(days=days),
    )
    audit_log.record("token.create", actor=person, target=_name(token), read_only=read_only, days=days)
    return token, secret


@transaction.atomic
def revoke_token(person: User, token_id: int) -> ApiToken:
    """Revoke one of the person's own tokens for good. Raises NotFound."""
    own = ApiToken.objects.filter(user=person, pk=token_id)
    revoke_tokens(own, by=person)
    token = own.first()
    if token is None:
        raise NotFound
    return token


@transaction.atomic
def revoke_tokens(tokens: QuerySet[ApiToken], *, by: User | None, why: str = "") -> int:
    """Revoke these tokens for good, of any owner. `why` is for the audit log. Returns how many were still valid."""
    live = list(tokens.select_for_update(of=("self",)).select_related("user").filter(revoked_at=None))
    for token in live:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        audit_log.record("token.revoke", actor=by, target=_name(token), owner=token.user_id, why=why)
    return len(live)


def _name(token: ApiToken) -> str:
    return f"token {token.pk} ({token.prefix}…)"


def use_token(secret: str) -> ApiToken | None:
    """Return the valid token of an active person with this `secret`. Its use is noted at most once a minute."""
    if not secret.startswith(PREFIX):
        return None
    rows = execute_prepared(OWNER_OF_TOKEN, {"hash": hash_of(secret)})
    if not rows:
        return None
    token, person = read_each((TOKEN, OWNER), iter(rows[0]))
    token.user = person
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - USE_IS_NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_IS_NOTED_EVERY)
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
        token.last_used_at = now
    return token
