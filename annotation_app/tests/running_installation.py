"""A whole installation for one test: the real launcher starts it in a folder of its own, and tests use it over HTTP."""

import logging
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psycopg

from annotation_app.local.given_settings import GIVEN
from annotation_app.local.installation import LocalInstallation
from annotation_app.local.process import free_port

BASE_DIR = Path(__file__).resolve().parent.parent.parent
logging.getLogger("httpx").setLevel(logging.WARNING)  # one line per request hides the failure
PASSWORD = "a long enough sentence 7"


def processes_of(folder: Path) -> dict[int, str]:
    """pid -> command line of each living process with `folder` in its command line, environment or work folder."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            told = (entry / "environ").read_bytes().decode(errors="replace")
            works_in = os.readlink(entry / "cwd")
            dead = ") Z " in (entry / "stat").read_text()
        except OSError:  # it ended meanwhile, or is another user's
            continue
        if str(folder) in command + told + works_in and not dead:
            found[int(entry.name)] = command
    return found


def wait_for(what: str, condition: Callable[[], Any], seconds: float = 180) -> Any:
    """Return the first true value of `condition`. Fails with `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError(f"Waited {seconds:.0f} s in vain for {what}.")


class RunningInstallation:
    """A process `python -m annotation_app.local stack` over `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port(0)
        self.launcher: subprocess.Popen[str] | None = None

    def migrate(self) -> None:
        """Migrate before the first start, as if it had been started before. Saves ten seconds."""
        from annotation_app.local.pytest_servers import copy_template  # noqa: PLC0415  imported, it starts servers

        installation = LocalInstallation(self.folder)
        installation.postgres.start()
        programs = installation.postgres.binaries / "bin"
        dump = [programs / "pg_dump", copy_template(f"dump_{uuid4().hex}")]
        load = [programs / "psql", "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", installation.postgres.url]
        text = subprocess.run(dump, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(load, input=text, stdout=subprocess.DEVNULL, check=True)
        installation.postgres.stop()
        installation.lock.close()

    def start(self, seconds: float = 180) -> str:
        """Start and wait until it is up, at most `seconds`. Return what the launcher printed by then."""
        command = [sys.executable, "-m", "annotation_app.local", "stack", "--state", str(self.folder)]
        output = (self.folder / "launcher.log").open("w")
        env = {name: value for name, value in os.environ.items() if name not in GIVEN}  # those of the tests' own server
        self.launcher = subprocess.Popen(
            [*command, "--port", str(self.port)], cwd=BASE_DIR, env=env, stdout=output, stderr=output, text=True
        )
        is_up = "the launcher to say that it is up"
        wait_for(is_up, lambda: "is up" in self.said() or self.launcher_ended(), seconds)
        assert "is up" in self.said(), self.said()
        return self.said()

    def said(self) -> str:
        """Return what the launcher has printed."""
        return (self.folder / "launcher.log").read_text()

    def launcher_ended(self) -> bool:
        """Return whether the launcher has ended."""
        return self.launcher is not None and self.launcher.poll() is not None

    @property
    def url(self) -> str:
        """The address that the web server printed."""
        return self.said().split("is up:")[1].split()[0].rstrip("/")

    @property
    def env(self) -> dict[str, str]:
        """The environment of this installation's processes."""
        lines = (self.folder / "env").read_text().splitlines()
        return {name: shlex.split(value)[0] for name, _, value in (line.partition("=") for line in lines)}

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Query the installation's database."""
        with psycopg.connect(self.env["DATABASE_URL"]) as connection:
            return connection.execute(query, values).fetchall()

    def execute(self, statement: str, *values: Any) -> None:
        """Change the installation's database."""
        with psycopg.connect(self.env["DATABASE_URL"]) as connection:
            connection.execute(statement, values)

    def create_superuser(self, username: str) -> None:
        """Make an account that may do everything, with the password of every test account."""
        command = ["manage.py", "createsuperuser", "--no-input", "--username", username, "--email", "a@example.org"]
        env = {**os.environ, **self.env, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
        subprocess.run([sys.executable, *command], cwd=BASE_DIR, env=env, stdout=subprocess.DEVNULL, check=True)

    def pids(self, word: str) -> list[int]:
        """Return the processes whose command line contains `word`, oldest first."""
        return sorted(pid for pid, command in processes_of(self.folder).items() if word in command)

    def kill(self, word: str, *, child: bool = False) -> int:
        """SIGKILL the oldest process of that name, or the youngest with `child`. Return its pid."""
        pid = wait_for(f"a process named {word}", lambda: self.pids(word))[-1 if child else 0]
        os.kill(pid, signal.SIGKILL)
        return pid

    def stop(self) -> int:
        """Press Ctrl-C, and return the launcher's exit status."""
        if self.launcher is None:
            return 0
        self.launcher.send_signal(signal.SIGINT)
        return self.launcher.wait(60)


@contextmanager
def installation_folder() -> Iterator[Path]:
    """Make an empty folder that the servers' user may enter, with a path short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="stepmark-stack-", dir="/tmp"))
    try:
        yield folder
    finally:
        for pid in processes_of(folder):  # only if a test failed
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


class Person:
    """A person's browser. A request that fails while a server is being killed is sent again, as the page does."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=60)
        self.sent_again = 0

    def call(self, method: str, path: str, body: Any = None, status: int = 200, **options: Any) -> Any:
        """Return the JSON answer, retrying for a minute while the server is away."""
        deadline = time.monotonic() + 60
        while True:
            answer = self._try(method, path, body, options)
            if answer is not None and answer.status_code < 500:
                assert answer.status_code == status, (method, path, answer.status_code, answer.text[:500])
                return answer.json()
            assert time.monotonic() < deadline, (method, path, answer and answer.text[:500])
            self.sent_again += 1
            time.sleep(0.1)

    def _try(self, method: str, path: str, body: Any, options: dict[str, Any]) -> httpx.Response | None:
        headers = {"X-CSRFToken": self.client.cookies.get("csrftoken") or ""}
        try:
            return self.client.request(method, path, json=body, headers=headers, **options)
        except httpx.TransportError:
            return None

    def log_in(self, username: str) -> "Person":
        """Log in with the password of every test account."""
        self.call("GET", "/api/session")
        self.call("POST", "/api/session/login", {"username": username, "password": PASSWORD})
        return self

    def join(self, invitation: str, username: str) -> "Person":
        """Create an account with an invitation link."""
        self.call("GET", "/api/session")
        self.call("POST", f"{invitation}/accept", {"username": username, "password": PASSWORD})
        return self
