"""Pseudonymous labeler ids for exported files."""

import hashlib
import hmac
from functools import lru_cache
from uuid import UUID

SALTED_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"  # the form of such an id


@lru_cache(maxsize=10_000)  # an export looks up each of its labelers thousands of times
def salted_labeler_id(salt: str, user_id: int) -> str:
    """Return a UUID that is the same in every export of a project, and cannot be joined across projects without the
    salt.
    """
    digest = hmac.new(salt.encode(), str(user_id).encode(), hashlib.sha256).digest()
    return str(UUID(bytes=digest[:16], version=4))
