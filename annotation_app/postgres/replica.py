"""Reads that may lag: figures, downloadable tables and the rows of exports come from a hot standby if there is one.

`REPLICA_URL` names it. A read uses it only if requested by `read_may_lag`, in a block of its own. Within the block,
this thread's connection is the standby's, so hand-written SQL and the ORM both read there, and PostgreSQL itself
refuses a write. The primary is read instead when the standby is away, was promoted, is too far behind, or breaks the
read off. No read that a claim, a submission or a permission rests on is requested this way.
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
LOOK_EVERY = 2.0  # seconds that a process trusts its last look at the standby
AWAY_FOR = 10.0  # seconds until a missing standby is looked for again: reads do not each wait for it
PATIENCE = 0.5  # seconds that a read waits for the position it needs
PRIMARY_NOW = "SELECT pg_current_wal_insert_lsn()::text, extract(epoch FROM clock_timestamp())::float8"
# The time of its last replayed change is by the primary's clock, so it is compared with that clock.
STANDBY_NOW = """
    SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() >= %s::pg_lsn,
        extract(epoch FROM pg_last_xact_replay_timestamp())::float8
"""
HAS = "SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn"
Found = TypeVar("Found")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReplicaState:
    """A process's last look at the standby: how far it is behind (seconds), or why it is not used."""

    lag: float | None
    fault: str = ""

    @property
    def serves(self) -> bool:
        """Whether reads may use it."""
        return not self.fault


class _Seen:
    """The last look, per process. If two threads look at once, that costs two looks and nothing else."""

    state: ReplicaState | None = None
    until = 0.0


def has_replica() -> bool:
    """Return whether the operator named a standby."""
    return REPLICA in connections.settings


def replica_state() -> ReplicaState:
    """Return the state seen within the last seconds, else the current one: one statement on each server."""
    state = _Seen.state
    if state is None or time.monotonic() >= _Seen.until:
        state = look_at_replica()
    return state


def look_at_replica() -> ReplicaState:
    """Return the current state."""
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
    """Return how far the primary has written, for the `after` of a read that must see it all; None without replica."""
    return _row(DEFAULT_DB_ALIAS, PRIMARY_NOW)[0] if has_replica() else None


def read_may_lag(
    read: Callable[[], Found], *, after: str | None = None, knows: Callable[[], bool] | None = None
) -> Found:
    """Return the result of `read`, from the standby if it may serve, else from the primary. `read` may run twice.

    `after`: a position from `position_now` that the standby must have reached. `knows`: asked there first, whether the
    standby has what the read is about. A transaction may have written, so within one the primary is read.
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
    """Return whether we are in a transaction, or in a block that already reads from the standby."""
    default = connections[DEFAULT_DB_ALIAS]
    return default.in_atomic_block or default is connections[REPLICA]


def _has(standby: BaseDatabaseWrapper, position: str) -> bool:
    """Return whether it has replayed this much, if needed after a short wait: it usually lags some milliseconds."""
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
    """Use the standby's connection as this thread's default meanwhile; nested blocks stay on it."""
    primary: Any = connections[DEFAULT_DB_ALIAS]
    standby: Any = connections[REPLICA]
    connections[DEFAULT_DB_ALIAS] = standby
    try:
        yield standby
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


def _note(fault: Exception) -> None:
    """Log a read that the standby broke off (it went away, or the primary cleaned up what was read) or that was our
    fault.
    """
    standby = connections[REPLICA]
    if not isinstance(fault, Error):
        return
    if isinstance(fault.__cause__, QueryCanceled):  # taking as long again on the primary would help nobody
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
