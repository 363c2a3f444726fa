"""The web server as in production, on the test's database."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from django.conf import settings

from annotation_app.local.process import free_port
from annotation_app.tests.running_installation import wait_for
from labeling.tests.killed_process import environment


@contextmanager
def web_server(folder: Path, **changes: str) -> Iterator[str]:
    """Run one process of it with these changes of its environment; its log is `folder`/web.log. Yields its address."""
    port = free_port(0)
    env = {**environment(), "DATA_DIR": str(folder / "data"), **changes}
    command = [sys.executable, "-m", "annotation_app.server", "--workers", "1", "--port", str(port)]
    with (folder / "web.log").open("w") as log:
        server = subprocess.Popen(command, cwd=settings.BASE_DIR, env=env, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for("the web server", lambda: answers(f"{url}/healthz"), 60)
        yield url
    finally:
        server.terminate()
        server.wait(30)


def answers(url: str) -> bool:
    """Return whether a server listens."""
    try:
        return httpx.get(url).status_code == 200
    except httpx.TransportError:
        return False
