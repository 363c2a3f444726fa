"""The one process in charge of all others: starts them in order, restarts those that die, stops them in reverse."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from annotation_app.local.process import spawn, stop, tail

LOG_LIMIT = 10 * 2**20  # bytes; a longer log is put aside at the next start
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Service(Protocol):
    """A service that the supervisor watches: Postgres, Valkey, or a program of ours."""

    @property
    def name(self) -> str:
        """The name shown to people."""

    @property
    def log(self) -> Path:
        """The log, which tells why it died."""

    @property
    def running(self) -> bool:
        """Whether the process is alive."""

    def start(self) -> None:
        """Start and wait until it serves. Raises RuntimeError with the last lines of its log."""

    def stop(self) -> None:
        """Ask it to end, and kill it if it does not."""


@dataclass
class Program:
    """A command of ours: web or worker. It is killed with the supervisor, because its work is safe in the database."""

    name: str
    command: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the command. Its log says when it serves."""
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".old.log"))
        self.process = spawn(self.command, die_by=signal.SIGKILL, log=self.log, env=self.env, cwd=self.cwd)

    def run(self) -> None:
        """Start the command and wait for its end. Raises RuntimeError unless it succeeds."""
        self.start()
        self.wait()

    def wait(self) -> None:
        """Wait for its end. Raises RuntimeError with the end of its log unless it succeeded."""
        if self.process is None or self.process.wait() != 0:
            raise RuntimeError(f"{self.name} failed. The end of {self.log}:\n{tail(self.log, 25)}")

    def stop(self) -> None:
        """Give it a few seconds to finish its work, then kill it."""
        if self.process is not None:
            stop(self.process, signal.SIGTERM, 10)


class Supervisor:
    """The owner of the services. Use it inside `stopping_cleanly()`, so that Ctrl-C ends in `stop_all`."""

    def __init__(self) -> None:
        self.services: list[Service] = []
        self.next_try: dict[str, float] = {}

    def start(self, service: Service) -> None:
        """Start one more service, and watch it from now on."""
        self.services.append(service)
        service.start()

    def watch(self) -> None:
        """Restart dead services forever, each at most once a second."""
        while True:
            for service in self.services:
                if not service.running and time.monotonic() >= self.next_try.get(service.name, 0):
                    self._start_again(service)
            time.sleep(0.1)

    def _start_again(self, service: Service) -> None:
        print(f"{service.name} died; restarting it. The end of {service.log}:\n{tail(service.log, 4)}", flush=True)
        self.next_try[service.name] = time.monotonic() + 1
        try:
            service.start()
        except RuntimeError as fault:  # try again in a second: Postgres waits for its last old processes to end
            print(fault, flush=True)

    def stop_all(self) -> None:
        """Stop all services, the last started first: none loses the database while it still works."""
        for service in reversed(self.services):
            service.stop()


@contextmanager
def stopping_cleanly(supervisor: Supervisor) -> Iterator[None]:
    """Turn Ctrl-C, SIGTERM and a closed terminal into an orderly end of everything."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.default_int_handler)
    asked = False
    try:
        yield
    except KeyboardInterrupt:
        asked = True
        print("\nStopping …", flush=True)
    finally:
        for number in STOP_SIGNALS:  # a second Ctrl-C must not leave half of the services running
            signal.signal(number, signal.SIG_IGN)
        supervisor.stop_all()
        if asked:
            print("Stopped.", flush=True)


def inherited_environment() -> dict[str, str]:
    """Return what children inherit from our own environment: nothing that could change a setting."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR", "USER") if name in os.environ}
