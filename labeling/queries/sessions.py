"""Who is logged in, in one statement: whether the session is still valid, and the person as they are now.

Django reads the session from the cache and the person with a query that it builds again each time: half the cost of a
small request. A session names the same person as long as it lives. So this process remembers whom, and only asks
Postgres whether that still holds. Sessions it does not remember, or that no longer hold, are left to Django.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from labeling.models import User
from labeling.queries.prepared_sql import Columns, execute_prepared, one_line

MOST = 10_000  # sessions that a process remembers before it starts over
PERSON = Columns(User)
# Ended sessions have no row, and a new password has another seal: both take effect with the next request.
SIGNED_IN = """
    (SELECT * FROM labeling_user WHERE id = %(person)s AND is_active
        AND sha256(convert_to(password, 'UTF8')) = %(seal)s AND EXISTS (
            SELECT FROM django_session WHERE session_key = %(session)s AND expire_date > now())) person
"""
PERSON_OF_SESSION = one_line(f"SELECT {PERSON.of('person')} FROM {SIGNED_IN}")


@dataclass(frozen=True)
class KnownSession:
    """A session that Django found valid: its key, its person, and the hash of that person's password at that time."""

    session: str
    person: int
    seal: bytes

    def named(self) -> dict[str, Any]:
        """Return the values for SIGNED_IN."""
        return self.__dict__


_known: dict[str, KnownSession] = {}


def known_session(key: str | None) -> KnownSession | None:
    """Return what is remembered of the session. SIGNED_IN checks whether it still holds."""
    return _known.get(key or "")


def remember_session(key: str | None, person: User) -> None:
    """Remember that Django has just found this session to be the person's."""
    if not key:
        return
    if len(_known) >= MOST:
        _known.clear()
    _known[key] = KnownSession(key, person.pk, hashlib.sha256(person.password.encode()).digest())


def person_of_session(key: str | None) -> User | None:
    """Return the active person whose session this is; None if Django has to check."""
    known = known_session(key)
    if known is None:
        return None
    for row in execute_prepared(PERSON_OF_SESSION, known.named()):
        person: User = PERSON.read(iter(row))
        return person
    _known.pop(known.session, None)
    return None
