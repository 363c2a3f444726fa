"""Who is logged in, in one statement: whether the session still stands, and the person as they are now.

Django reads the session from the cache and the person by a query that it writes anew each time: half of what a small
request costs. A session names its person for as long as it lives, so this process remembers whom, and asks Postgres
alone whether that still holds. Whatever it does not remember, or that holds no more, Django looks into.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from labeling.models import User
from labeling.queries.prepared_sql import Columns, execute_prepared, one_line

MOST = 10_000  # sessions that a process remembers before it begins anew
PERSON = Columns(User)
# Ended sessions have no row, a new password has another seal: both hold from the next request on.
SIGNED_IN = """
    (SELECT * FROM labeling_user WHERE id = %(person)s AND is_active
        AND sha256(convert_to(password, 'UTF8')) = %(seal)s AND EXISTS (
            SELECT FROM django_session WHERE session_key = %(session)s AND expire_date > now())) person
"""
PERSON_OF_SESSION = one_line(f"SELECT {PERSON.of('person')} FROM {SIGNED_IN}")


@dataclass(frozen=True)
class KnownSession:
    """A session as Django found it valid: its key, whose it is, and the hash of that person's password then."""

    session: str
    person: int
    seal: bytes

    def named(self) -> dict[str, Any]:
        """The values of SIGNED_IN."""
        return self.__dict__


_known: dict[str, KnownSession] = {}


def known_session(key: str | None) -> KnownSession | None:
    """What is remembered of the session; whether it still holds, SIGNED_IN asks."""
    return _known.get(key or "")


def remember_session(key: str | None, person: User) -> None:
    """Django has just found this session to be the person's."""
    if not key:
        return
    if len(_known) >= MOST:
        _known.clear()
    _known[key] = KnownSession(key, person.pk, hashlib.sha256(person.password.encode()).digest())


def person_of_session(key: str | None) -> User | None:
    """The active person whose session this is; None where Django has to look."""
    known = known_session(key)
    if known is None:
        return None
    for row in execute_prepared(PERSON_OF_SESSION, known.named()):
        person: User = PERSON.read(iter(row))
        return person
    _known.pop(known.session, None)
    return None
