"""Pseudonymous labeler ids for exported files."""

import hashlib
import hmac
from functools import lru_cache
from uuid import UUID

SALTED_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"  # what such an id looks like


@lru_cache(maxsize=10_000)  # an export asks for each of its labelers thousands of times
def salted_labeler_id(salt: str, user_id: int) -> str:
    """A UUID that is the same in every export of one project, and cannot be joined across projects without the salt."""
    digest = hmac.new(salt.encode(), str(user_id).encode(), hashlib.sha256).digest()
    return str(UUID(bytes=digest[:16], version=4))
