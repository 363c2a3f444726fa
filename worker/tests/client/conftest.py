"""A server for the client, over HTTP, and a worker that does the work it requests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from celery.contrib.testing.worker import start_worker
from celery.signals import task_postrun
from django.db import connections
from kombu import pools

from labeling.actions.api_tokens import create_token
from labeling.models import Project
from labeling.tests.factories import make_member, make_project
from stepmark import Stepmark
from worker import tasks

__all__ = ["tasks"]


@pytest.fixture
def working(transactional_db: None) -> Iterator[None]:
    """Run a worker for both queues in a thread of this process. It takes real messages from the broker."""
    pools.reset()  # an earlier worker of this process has closed them
    current_app._pool = None  # type: ignore[attr-defined]  # the application's own hold on one of them
    current_app.control.purge()  # messages left by other tests
    task_postrun.connect(_let_go)
    with start_worker(current_app, pool="solo", queues="cpu,gpu", perform_ping_check=False, loglevel="ERROR"):
        yield
    task_postrun.disconnect(_let_go)


def _let_go(**_: object) -> None:
    """Close the connections: the worker's thread lives until the tests end, and would keep their database."""
    connections.close_all()


@pytest.fixture
def algebra(transactional_db: None) -> Project:
    """A project."""
    return make_project("algebra")


@pytest.fixture
def site(algebra: Project, live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stepmark]:
    """Return the client of its researcher. The environment is theirs, too."""
    secret = create_token(make_member(algebra, "researcher", username="rosa"), "test")[1]
    monkeypatch.setenv("STEPMARK_CONFIG", str(tmp_path / "kept" / "login.json"))
    monkeypatch.setenv("STEPMARK_URL", live_server.url)
    monkeypatch.setenv("STEPMARK_TOKEN", secret)
    with Stepmark() as site:
        yield site
