"""What Valkey keeps for the web processes, and how the site continues without it.

Sessions are cached for a minute; the database has them all. Counts (throttles, allowances) are kept by each web process
for itself while Valkey is away. A Valkey that hangs costs one request a third of a second (settings), and then none for
PAUSE seconds.
"""

import logging
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
FAULTS = (RedisError, OSError)
PAUSE = 5.0  # seconds for which it is not asked again after a fault
OWN_COUNTS = 100_000  # beyond this number, a process forgets some
SESSION_SECONDS = 60  # how long a session that was ended while Valkey was away may live on once Valkey is back
Found = TypeVar("Found")


class Away:
    """Until when this process does without Valkey; one value for all its threads and caches."""

    until = 0.0


def ask(question: Callable[[], Found], otherwise: Callable[[], Found]) -> Found:
    """Return Valkey's answer, or that of `otherwise` if Valkey does not answer or did not a moment ago."""
    if time.monotonic() < Away.until:
        return otherwise()
    try:
        return question()
    except FAULTS as fault:
        Away.until = time.monotonic() + PAUSE
        logger.warning("Valkey does not answer (%s): not asked for %d s", fault, PAUSE)
        return otherwise()


class LastingClient(RedisCacheClient):
    """A client that lasts, one per thread. Django creates a client for every question, which takes longer than the
    question itself. What may break, the connection, belongs to the pool.
    """

    @cached_property
    def _lasting(self) -> Any:
        return super().get_client(write=True)  # there is one server

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """Return the one client there is."""
        return self._lasting


class ValkeyCache(RedisCache):
    """Django's Redis cache with a lasting client."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = LastingClient


class SessionCache(ValkeyCache):
    """Recently read sessions. Django reads those it does not have from the database."""

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """As in any cache."""
        return ask(lambda: RedisCache.get(self, key, default, version), lambda: default)

    def set(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """As in any cache, but always for SESSION_SECONDS."""
        return ask(lambda: RedisCache.set(self, key, value, SESSION_SECONDS, version), lambda: None)

    def delete(self, key: str, version: int | None = None) -> bool:
        """As in any cache."""
        return ask(lambda: RedisCache.delete(self, key, version), lambda: False)

    def has_key(self, key: str, version: int | None = None) -> bool:
        """As in any cache."""
        return ask(lambda: RedisCache.has_key(self, key, version), lambda: False)


class CountCache(ValkeyCache):
    """Counts and other small things kept for a time; while Valkey is away, each process keeps its own."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.own = LocMemCache("while Valkey is away", {"OPTIONS": {"MAX_ENTRIES": OWN_COUNTS}})

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """As in any cache."""
        return ask(lambda: RedisCache.get(self, key, default, version), lambda: self.own.get(key, default, version))

    def set(self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """As in any cache."""
        return ask(
            lambda: RedisCache.set(self, key, value, timeout, version),
            lambda: self.own.set(key, value, timeout, version),
        )

    def count(self, key: str, amount: int, seconds: int) -> int:
        """Add to a count that expires after so many seconds, and return it. One round trip to Valkey."""
        return ask(lambda: self._count(key, amount, seconds), lambda: self._own_count(key, amount, seconds))

    def _count(self, key: str, amount: int, seconds: int) -> int:
        name = self.make_and_validate_key(key)
        both = self._cache.get_client(write=True).pipeline(transaction=False)
        both.incrby(name, amount)
        both.expire(name, seconds)
        return int(both.execute()[0])

    def _own_count(self, key: str, amount: int, seconds: int) -> int:
        self.own.add(key, 0, seconds)
        return self.own.incr(key, amount)
