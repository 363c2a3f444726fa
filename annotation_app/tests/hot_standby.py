"""A hot standby of the test's own PostgreSQL, made as docs/operations.md says, and this process told of it."""

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
    """A copy of the server at that address (its owner's) which follows it, not started yet."""
    folder.chmod(0o711)
    # No fewer connections than the primary has, or it refuses to follow.
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
    """A standby that runs, and what it was asked."""

    def __init__(self, postgres: Postgres) -> None:
        self.postgres = postgres

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask it directly, in the database of this process."""
        where = connection.settings_dict
        who = {"user": where["USER"], "password": where["PASSWORD"], "dbname": where["NAME"]}
        with psycopg.connect(host=str(self.postgres.sockets), autocommit=True, **who) as direct:
            while True:
                with suppress(psycopg.errors.SerializationFailure):  # what it replays goes first
                    return direct.execute(statement).fetchall()

    def catch_up(self) -> None:
        """Wait until it has all that the primary wrote so far."""
        position = replica.position_now()
        wait_for("the standby", lambda: self.execute(f"SELECT pg_last_wal_replay_lsn() >= '{position}'")[0][0], 60)

    @contextmanager
    def asked(self) -> Iterator[list[str]]:
        """The lines that its log gets meanwhile, of every statement."""
        begin = self.postgres.log.stat().st_size
        found: list[str] = []
        yield found
        with self.postgres.log.open(errors="replace") as log:
            log.seek(begin)
            found.extend(log.read().split(" LOG:  "))


@contextmanager
def told_of(standby: Postgres) -> Iterator[None]:
    """This process reads what may lag from there, as with REPLICA_URL."""
    options = {"host": str(standby.sockets), "connect_timeout": 2, "options": "-c default_transaction_read_only=on"}
    own = {**connection.settings_dict, "HOST": "", "OPTIONS": {**connection.settings_dict["OPTIONS"], **options}}
    # Django's tests set up and clean no mirror.
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
    """Within `told_of`: as without REPLICA_URL."""
    own = connections.settings.pop(replica.REPLICA)
    try:
        yield
    finally:
        connections.settings[replica.REPLICA] = own
        forget()


def forget() -> None:
    """As a process that has not looked yet."""
    replica._Seen.state, replica._Seen.until = None, 0.0


@contextmanager
def transactions_told(primary: str) -> Iterator[None]:
    """The primary says again and again which transactions run. A standby takes connections once it knows that, and does
    not while one of other tests has more savepoints than fit: PostgreSQL itself would say it every 15 s.
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
    """One that runs until the block ends."""
    with installation_folder() as folder:
        postgres = make_standby(folder, os.environ["DATABASE_URL"])
        with transactions_told(os.environ["DATABASE_URL"]):
            postgres.start(300)
        try:
            yield Standby(postgres)
        finally:
            postgres.stop()
