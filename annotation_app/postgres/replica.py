"""Reads that may lag: figures, downloadable tables and the rows of exports come from a hot standby if there is one.

`REPLICA_URL` names it. A read goes there only where it is asked for by `read_may_lag`, in a block of its own: within
it this thread's connection is the standby's, so that written SQL and the ORM read there alike, and a write is refused
by PostgreSQL itself. Where the standby is away, was promoted, or is too far behind, the primary is read, and so it is
where the standby breaks a read off. Nothing that somebody's claim, submission or right rests on is asked for so.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.errors import QueryCanceled, ReadOnlySqlTransaction

REPLICA = "replica"
LOOK_EVERY = 2.0  # seconds for which a process believes what it saw of the standby
AWAY_FOR = 10.0  # seconds after which one that was away is looked for again: nobody waits for it at each read
PATIENCE = 0.5  # seconds that a read waits for what it has to find there
PRIMARY_NOW = "SELECT pg_current_wal_insert_lsn()::text, extract(epoch FROM clock_timestamp())::float8"
# The time of the last change that it has is by the primary's clock, and so is held against that.
STANDBY_NOW = """
    SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() >= %s::pg_lsn,
        extract(epoch FROM pg_last_xact_replay_timestamp())::float8
"""
HAS = "SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn"
Found = TypeVar("Found")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReplicaState:
    """What a process last saw of the standby: how far it is behind (seconds), or why it serves nobody."""

    lag: float | None
    fault: str = ""

    @property
    def serves(self) -> bool:
        """Whether reads may go there."""
        return not self.fault


class _Seen:
    """Of this process. Two threads that look at once cost two looks, and nothing else."""

    state: ReplicaState | None = None
    until = 0.0


def has_replica() -> bool:
    """Whether the operator named one."""
    return REPLICA in connections.settings


def replica_state() -> ReplicaState:
    """As it was seen within the last seconds, else as it is: one statement on each of the two servers."""
    state = _Seen.state
    if state is None or time.monotonic() >= _Seen.until:
        state = look_at_replica()
    return state


def look_at_replica() -> ReplicaState:
    """As it is now."""
    try:
        state = _look()
    except Error as fault:
        connections[REPLICA].close()
        state = ReplicaState(None, f"it does not answer ({(str(fault).strip().splitlines() or ['no reason'])[0]})")
    before, _Seen.state = _Seen.state, state
    _Seen.until = time.monotonic() + (AWAY_FOR if state.lag is None else LOOK_EVERY)
    if before and before.serves != state.serves:
        log.warning("The replica %s.", f"serves nobody: {state.fault}" if state.fault else "serves again")
    return state


def _look() -> ReplicaState:
    [position, now] = _row(DEFAULT_DB_ALIAS, PRIMARY_NOW)
    [standby, has_all, newest] = _row(REPLICA, STANDBY_NOW, position)
    if not standby:
        return ReplicaState(None, "it is not a standby (was it promoted?)")
    lag = 0.0 if has_all else max(0.0, now - newest) if newest is not None else None
    if lag is None:
        return ReplicaState(None, "it has not replayed anything yet")
    if lag > settings.REPLICA_LAG_SECONDS:
        return ReplicaState(lag, f"it is {lag:.0f} s behind (REPLICA_LAG_SECONDS={settings.REPLICA_LAG_SECONDS})")
    return ReplicaState(lag)


def position_now() -> str | None:
    """How far the primary has written: a read that is to see all of it is asked for with `after`. None: no replica."""
    return _row(DEFAULT_DB_ALIAS, PRIMARY_NOW)[0] if has_replica() else None


def read_may_lag(
    read: Callable[[], Found], *, after: str | None = None, knows: Callable[[], bool] | None = None
) -> Found:
    """What `read` gives, from the standby if that may serve, else from the primary; it has to be able to run twice.

    `after`: a position of `position_now` that the standby must have reached. `knows`: asked there first, whether it
    has what the read is about. Within a transaction, which may have written, the primary is asked.
    """
    if not has_replica() or _is_bound() or not replica_state().serves:
        return read()
    try:
        with _on_replica() as standby:
            if (after is None or _has(standby, after)) and (knows is None or knows()):
                return read()
    except Exception as fault:  # noqa: BLE001  (a row that the standby has not got yet, too: the primary has the last word)
        _note(fault)
    return read()


def _is_bound() -> bool:
    """In a transaction, or in a block that reads from the standby already."""
    default = connections[DEFAULT_DB_ALIAS]
    return default.in_atomic_block or default is connections[REPLICA]


def _has(standby: BaseDatabaseWrapper, position: str) -> bool:
    """Whether it has replayed so much, if need be after a short wait: it is usually some milliseconds behind."""
    deadline = time.monotonic() + PATIENCE
    with standby.cursor() as cursor:
        while True:
            cursor.execute(HAS, [position])
            has = bool(cursor.fetchone()[0])
            if has or time.monotonic() > deadline:
                return has
            time.sleep(0.02)


@contextmanager
def _on_replica() -> Iterator[BaseDatabaseWrapper]:
    """This thread's default connection is the standby's meanwhile; nested blocks stay there."""
    primary: Any = connections[DEFAULT_DB_ALIAS]
    standby: Any = connections[REPLICA]
    connections[DEFAULT_DB_ALIAS] = standby
    try:
        yield standby
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


def _note(fault: Exception) -> None:
    """Broken off by the standby (it went away, or what was read was cleaned up on the primary), or by our own fault."""
    standby = connections[REPLICA]
    if not isinstance(fault, Error):
        return
    if isinstance(fault.__cause__, QueryCanceled):  # as long again on the primary would help nobody
        raise fault
    if isinstance(fault.__cause__, ReadOnlySqlTransaction):
        log.error("A read that may lag wrote something, and was made again on the primary: %s", fault)
        return
    log.warning("The replica broke a read off, which is made again on the primary: %s", str(fault).strip())
    if not standby.is_usable():
        standby.close()
        _Seen.state, _Seen.until = ReplicaState(None, "it went away"), time.monotonic() + AWAY_FOR


def _row(alias: str, statement: str, *values: Any) -> tuple[Any, ...]:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, values)
        row: tuple[Any, ...] = cursor.fetchone()
        return row
