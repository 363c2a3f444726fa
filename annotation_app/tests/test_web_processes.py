"""The web server loads everything once and then forks: what that saves, and what it must not start before."""

import subprocess
import sys

from django.conf import settings

from labeling.tests.killed_process import environment

FORKED = """
import os, sys
from annotation_app.server.__main__ import load
load()
from django.db import connections
assert "labeling.api.urls" in sys.modules, "the API is not loaded before the fork"
assert len(os.listdir("/proc/self/task")) == 1, "a thread runs, which no forked process would have"
assert all(one.connection is None for one in connections.all(initialized_only=True)), "a connection is open"
"""
LAUNCHER = """
import sys
import annotation_app.local.__main__
assert not {"django", "celery"} & set(sys.modules)
"""


def test_before_the_fork_the_api_is_loaded_and_neither_a_thread_nor_a_connection_has_begun() -> None:
    run(FORKED)


def test_the_launcher_loads_neither_django_nor_celery() -> None:
    run(LAUNCHER)


def run(code: str) -> None:
    """Run a script in a separate process, which fails with its output."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
