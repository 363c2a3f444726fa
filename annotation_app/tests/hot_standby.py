"""A hot standby of the test's own PostgreSQL, made as in docs/operations.md, which this process can be told to use."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection, connections

from annotation_app.local.postgres import Postgres
from annotation_app.local.process import server_account
from annotation_app.postgres import replica
from annotation_app.tests.running_installation import installation_folder, wait_for

CONFIGURED = "log_statement = 'all'\nmax_standby_streaming_delay = 100ms\n"


def make_standby(folder: Path, primary: str) -> Postgres:
    """Make a copy of the server at that address (its owner's) which follows it. The copy is not started yet."""
    folder.chmod(0o711)
    # At least as many connections as the primary has, or it refuses to follow.
    postgres = Postgres(folder / "postgres", "test", server_account(), durable=False, max_connections=200)
    postgres.folder.mkdir(mode=0o700)
    command = [postgres.binaries / "bin" / "pg_basebackup", f"--dbname={primary}"]
    command += [f"--pgdata={postgres.data}", "--wal-method=stream", "--checkpoint=fast", "--write-recovery-conf"]
    subprocess.run([str(part) for part in command], check=True)
    with (postgres.data / "postgresql.auto.conf").open("a") as configuration:
        configuration.write(CONFIGURED)
    if postgres.account:
        for path in (postgres.folder, *postgres.folder.rglob("*")):
            shutil.chown(path, postgres.account.uid, postgres.account.gid)
    return postgres


class Standby:
    """A running standby, and the statements that it received."""

    def __init__(self, postgres: Postgres) -> None:
        self.postgres = postgres

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Execute a statement on it directly, in the database of this process."""
        where = connection.settings_dict
        who = {"user": where["USER"], "password": where["PASSWORD"], "dbname": where["NAME"]}
        with psycopg.connect(host=str(self.postgres.sockets), autocommit=True, **who) as direct:
            while True:
                with suppress(psycopg.errors.SerializationFailure):  # replaying goes first
                    return direct.execute(statement).fetchall()

    def catch_up(self) -> None:
        """Wait until it has everything that the primary wrote so far."""
        position = replica.position_now()
        wait_for("the standby", lambda: self.execute(f"SELECT pg_last_wal_replay_lsn() >= '{position}'")[0][0], 60)

    @contextmanager
    def asked(self) -> Iterator[list[str]]:
        """Collect the lines that its log gets meanwhile, one for each statement."""
        begin = self.postgres.log.stat().st_size
        found: list[str] = []
        yield found
        with self.postgres.log.open(errors="replace") as log:
            log.seek(begin)
            found.extend(log.read().split(" LOG:  "))


@contextmanager
def told_of(standby: Postgres) -> Iterator[None]:
    """Have this process read from it what may lag, as with REPLICA_URL."""
    options = {"host": str(standby.sockets), "connect_timeout": 2, "options": "-c default_transaction_read_only=on"}
    own = {**connection.settings_dict, "HOST": "", "OPTIONS": {**connection.settings_dict["OPTIONS"], **options}}
    # Django's tests do not set up or clean a mirror.
    own["TEST"] = {**own["TEST"], "MIRROR": "default"}
    connections.settings[replica.REPLICA] = own
    forget()
    try:
        yield
    finally:
        connections[replica.REPLICA].close()
        del connections[replica.REPLICA]
        del connections.settings[replica.REPLICA]
        forget()


@contextmanager
def told_of_none() -> Iterator[None]:
    """Within `told_of`: behave as without REPLICA_URL."""
    own = connections.settings.pop(replica.REPLICA)
    try:
        yield
    finally:
        connections.settings[replica.REPLICA] = own
        forget()


def forget() -> None:
    """Forget the last look, like a process that has not looked yet."""
    replica._Seen.state, replica._Seen.until = None, 0.0


@contextmanager
def transactions_told(primary: str) -> Iterator[None]:
    """Have the primary announce its running transactions again and again. A standby accepts connections only once it
    knows them, and not while a transaction of another test has too many savepoints. PostgreSQL announces them every 15
    s.
    """
    over = threading.Event()

    def tell() -> None:
        with psycopg.connect(primary, autocommit=True) as owner:
            while not over.wait(0.5):
                owner.execute("SELECT pg_log_standby_snapshot()")

    thread = threading.Thread(target=tell)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def hot_standby() -> Iterator[Standby]:
    """Run a standby until the block ends."""
    with installation_folder() as folder:
        postgres = make_standby(folder, os.environ["DATABASE_URL"])
        with transactions_told(os.environ["DATABASE_URL"]):
            postgres.start(300)
        try:
            yield Standby(postgres)
        finally:
            postgres.stop()
