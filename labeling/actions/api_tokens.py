"""API tokens: keys for programs. Only the SHA-256 of a token is kept; it is shown once."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from labeling.actions import audit_log
from labeling.errors import NotFound
from labeling.models import ApiToken, User
from labeling.queries.prepared_sql import Columns, execute_prepared, one_line, read_each

PREFIX = "smk_"
SHOWN = 12
USE_IS_NOTED_EVERY = timedelta(minutes=1)
TOKEN = Columns(ApiToken, "id", "last_used_at")
OWNER = Columns(User)
OWNER_OF_TOKEN = one_line(f"""
    SELECT {TOKEN.of("token")}, {OWNER.of("person")}
    FROM labeling_apitoken token JOIN labeling_user person ON person.id = token.user_id
    WHERE token.token_hash = %(hash)s AND token.revoked_at IS NULL AND person.is_active
""")


def hash_of(secret: str) -> str:
    """The hex SHA-256 under which a random secret is stored. (Random: no salt, no slow hash needed.)"""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def create_token(person: User, name: str) -> tuple[ApiToken, str]:
    """A new token and its secret, which cannot be read again later."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(user=person, name=name, prefix=secret[:SHOWN], token_hash=hash_of(secret))
    audit_log.record("token.create", actor=person, target=f"token {token.pk} ({token.prefix}…)")
    return token, secret


@transaction.atomic
def revoke_token(person: User, token_id: int) -> ApiToken:
    """Switch one of the person's own tokens off for good. Raises NotFound."""
    token = ApiToken.objects.select_for_update().filter(user=person, pk=token_id).first()
    if token is None:
        raise NotFound
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        audit_log.record("token.revoke", actor=person, target=f"token {token.pk} ({token.prefix}…)")
    return token


def use_token(secret: str) -> ApiToken | None:
    """The live token of an active person behind `secret`, its use noted at most once a minute."""
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
