"""Child processes that cannot outlive their parent, free ports, and an unprivileged user when started as root."""

import os
import pwd
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labeling.grading.parent_death import die_with_parent


@dataclass(frozen=True)
class Account:
    """The user a server runs as when this process is root (Postgres refuses to run as root)."""

    name: str
    uid: int
    gid: int


def server_account() -> Account | None:
    """Return `postgres` or `nobody` if we are root, else None: the servers then run as ourselves."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise RuntimeError("Running as root, but there is neither a user `postgres` nor `nobody`. Run as an ordinary user.")


def can_reach(path: Path, account: Account | None) -> bool:
    """Return whether `account` may enter every folder above `path` and `path` itself."""
    if account is None:
        return True
    for folder in [path, *path.parents]:
        status = folder.stat()
        bit = 0o100 if status.st_uid == account.uid else 0o010 if status.st_gid == account.gid else 0o001
        if not status.st_mode & bit:
            return False
    return True


def spawn(
    command: Sequence[str | Path],
    *,
    die_by: signal.Signals,
    log: Path | None = None,
    env: Mapping[str, str] | None = None,
    account: Account | None = None,
    cwd: Path | str = "/",
) -> subprocess.Popen[bytes]:
    """Start `command` in a process group of its own; the kernel sends it `die_by` when we die.

    Call it from the main thread: the tie is to the thread that forks. Output goes to `log`, or to our own output.
    """
    us = os.getpid()
    output = open_log(log) if log else None
    try:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output and subprocess.STDOUT,
            cwd=cwd,
            env=dict(env) if env is not None else None,
            process_group=0,  # Ctrl-C reaches only the supervisor, which then stops things in order
            preexec_fn=lambda: die_with_parent(us, die_by),
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    finally:
        if output:
            output.close()


def open_log(path: Path) -> IO[bytes]:
    """Open a log for appending. Others cannot read it: it contains traces of people's requests."""
    file = os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")
    os.fchmod(file.fileno(), 0o600)  # an older log may be open to others
    return file


def free_port(preferred: int) -> int:
    """Return `preferred` if nothing listens there, else any free port on this machine."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise RuntimeError("127.0.0.1 has no free TCP port.")


def stop(process: subprocess.Popen[bytes], by: signal.Signals, seconds: float) -> None:
    """Send the signal `by`, wait, and kill what is still running after `seconds`."""
    if process.poll() is not None:
        return
    process.send_signal(by)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def tail(log: Path, lines: int = 8) -> str:
    """Return the last lines of a log, for an error message."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""
