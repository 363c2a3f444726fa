"""Ties a process to its parent: when the parent dies, even by SIGKILL, the kernel ends the child (on Linux only)."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
# Loaded here, because a child between fork and exec must not load libraries.
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(parent_pid: int | None = None, by: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel for signal `by` when the *thread* that forked this process ends.

    `parent_pid` is the parent before the call: if it has already died, the signal is sent immediately.
    """
    if LIBC is None:
        return
    LIBC.prctl(PR_SET_PDEATHSIG, int(by), 0, 0, 0)
    if parent_pid is not None and os.getppid() != parent_pid:
        os.kill(os.getpid(), by)
