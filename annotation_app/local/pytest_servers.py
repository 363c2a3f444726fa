"""pytest plugin: a throw-away Postgres and Valkey, started before pytest-django reads the settings.

Loaded by `-p` in pyproject.toml. Every run has servers of its own, so parallel runs do not collide.
"""

import atexit
import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from annotation_app.local.postgres import Postgres
from annotation_app.local.process import die_with_parent, server_account
from annotation_app.local.valkey import Valkey

BASE_DIR = Path(__file__).resolve().parents[2]
TEMPLATE = "stepmark"  # the database that is migrated once; each process gets a copy
LOCK = "STEPMARK_TEST_TEMPLATE"  # names the file that is locked while the template is being migrated
TEST_SECRET = "only-for-tests-0123456789-abcdefghijklmnopqrstuvwxyz"


def start_servers() -> None:
    """Start both servers, point the environment at them, and remove everything when the run ends."""
    account = server_account()
    root = Path(tempfile.mkdtemp(prefix="stepmark-test-", dir="/tmp"))  # short: a socket path is at most 107 bytes
    root.chmod(0o711)
    postgres = Postgres(root / "postgres", "test", account, durable=False, max_connections=200)
    valkey = Valkey(root / "valkey", "test", durable=False)
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    atexit.register(valkey.stop)
    atexit.register(postgres.stop)
    postgres.start()
    valkey.start()
    os.environ.update(
        STEPMARK_ENV="development",
        ENV_FILE="/dev/null",
        SECRET_KEY=TEST_SECRET,
        DATABASE_URL=postgres.url,
        REDIS_URL=valkey.url,
        DATA_DIR=str(root / "data"),
        HTTPS_ONLY="false",
        DEBUG="false",
        PUBLIC_SCHEMA="false",  # as in production
        ALLOWED_HOSTS="testserver,localhost,127.0.0.1",
        DJANGO_ALLOW_ASYNC_UNSAFE="true",  # Playwright's synchronous API runs inside an event loop
    )
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a run starts some hundred processes; compile our files once
    start_migrating(root)


def start_migrating(root: Path) -> None:
    """Migrate the template while pytest imports and collects. Migrating takes seconds, copying a fraction of one."""
    lock, us = root / "template.lock", os.getpid()
    os.environ[LOCK] = str(lock)
    with lock.open("w") as held, (root / "migrate.log").open("w") as log:
        fcntl.flock(held, fcntl.LOCK_EX)
        child = subprocess.Popen(
            [sys.executable, "-m", "annotation_app.local.migrated_template"],
            cwd=BASE_DIR,
            stdin=held,  # so the child also holds the lock, and releases it however it ends
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=lambda: die_with_parent(us, signal.SIGKILL),
        )
    atexit.register(end_with_children, child.pid)


def end_with_children(group: int) -> None:
    """Kill a process and its children, if they are alive."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def wait_for_template() -> None:
    """Wait until its migration has ended. If it failed, Django migrates the copy and reports what is wrong."""
    with Path(os.environ[LOCK]).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)


def copy_template(name: str, template: str = TEMPLATE) -> str:
    """Make one more migrated database on this run's server, or a copy of another. Return its URL."""
    wait_for_template()
    with server() as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*map(sql.Identifier, (name, template))))
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def server() -> psycopg.Connection[Any]:
    """Connect to this run's server, through the one database that is never copied: connections prevent copying."""
    here = urlsplit(os.environ["DATABASE_URL"])._replace(path="/postgres")
    return psycopg.connect(here.geturl(), autocommit=True)


def share_servers(worker: str) -> None:
    """Give a process of a run with `-n` its own database, cache and folder on the servers of the first process."""
    address = urlsplit(os.environ["REDIS_URL"])
    os.environ["REDIS_URL"] = address._replace(path=f"/{int(worker.removeprefix('gw')) + 1}").geturl()
    os.environ["DATA_DIR"] += f"-{worker}"


# Containers often set this so that no bytecode is written. But a run starts a hundred processes of our own code, and
# pytest would compile each test again in each of its processes.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if "PYTEST_XDIST_WORKER" in os.environ:
    share_servers(os.environ["PYTEST_XDIST_WORKER"])
else:
    start_servers()

# Before the tests are collected, almost nothing is garbage, and looking for it takes a fifth of that time.
gc.disable()
