"""One id follows a request: into its response, into each line of the log, and into the work that it started."""

import io
import json
import logging
from time import sleep
from typing import Any

import pytest
from celery import shared_task
from celery.contrib.testing.worker import start_worker
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings

from annotation_app.celery import app
from annotation_app.log_lines import JsonLine, PlainLine
from annotation_app.request_ids import HEADER, current_request_id, work_for
from labeling.actions.jobs import send_task
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_user

pytestmark = pytest.mark.django_db


class Written:
    """What the root's handlers would have written in both forms."""

    def __init__(self) -> None:
        self.plain, self.json = io.StringIO(), io.StringIO()
        self.handlers = [logging.StreamHandler(self.plain), logging.StreamHandler(self.json)]
        for handler, form in zip(self.handlers, (PlainLine(), JsonLine()), strict=True):
            handler.setFormatter(form)

    def __enter__(self) -> "Written":
        for handler in self.handlers:
            logging.getLogger().addHandler(handler)
        return self

    def __exit__(self, *_: object) -> None:
        for handler in self.handlers:
            logging.getLogger().removeHandler(handler)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.json.getvalue().splitlines()]


def test_every_answer_names_its_request_and_so_do_its_lines_of_the_log():
    with Written() as log:
        refused = Client().get("/api/projects/none\n{}-of-them")
        assert Client().get("/healthz").headers[HEADER] != refused.headers[HEADER]
    assert refused.status_code == 404
    [line] = [line for line in log.lines if line["logger"] == "django.request"]
    assert (line["request_id"], line["status"], line["level"]) == (refused.headers[HEADER], 404, "WARNING")
    assert f"[request {refused.headers[HEADER]}]" in log.plain.getvalue()
    assert current_request_id() == ""  # the thread's next work does not belong to the request


def test_what_a_stranger_sends_begins_no_line_of_the_log():
    with Written() as log:
        logging.getLogger("tests").warning("refused: %s", "x\n2026-11-26 WARNING all is well\r\x1b[2K smk_abcdefgh1")
        try:
            raise ValueError("invitations/abcdefgh1")
        except ValueError:
            logging.getLogger("tests").exception("oops")
    plain = log.plain.getvalue()
    assert r"refused: x\n2026-11-26 WARNING all is well\r\x1b[2K smk_[hidden]" in plain
    assert "Traceback (most recent call last):\n" in plain, "a traceback keeps its lines"
    assert "abcdefgh1" not in plain + log.json.getvalue()


def test_only_a_proxy_that_is_believed_names_a_request(settings: Settings):
    given = {HEADER: "from-the-proxy-1"}
    assert Client(headers=given).get("/healthz").headers[HEADER] != "from-the-proxy-1"
    settings.PROXIES = 1
    assert Client(headers=given).get("/healthz").headers[HEADER] == "from-the-proxy-1"
    for forged in ("a b c d e f g h", "x" * 65, "short", 'x"}{"level": 1'):
        assert Client(headers={HEADER: forged}).get("/healthz").headers[HEADER] != forged


def test_a_fault_of_the_server_says_its_request_in_the_body():
    def fail(*_: object) -> None:
        raise OperationalError("gone")

    browser = Browser(make_user())
    with connection.execute_wrapper(fail):
        answer = browser.get("/api/projects")
    assert answer.status_code == 503
    assert answer.json()["request_id"] == answer.headers[HEADER]


@shared_task(name="tests.say_something")
def say_something() -> None:
    """A task that writes a line of the log."""
    logging.getLogger("tests").error("invitations/abcdefgh12345 done")


@pytest.mark.django_db(transaction=True)
def test_work_that_a_request_asks_for_names_it_in_its_lines():
    queue = f"request-ids-{id(object())}"
    app.amqp.queues.add(queue)
    with start_worker(app, pool="solo", perform_ping_check=False, queues=[queue]), Written() as log:
        work_for("asked-by-this-one")
        send_task("tests.say_something", queue=queue)
        work_for("")
        for _ in range(100):
            if any(line["logger"] == "tests" for line in log.lines):
                break
            sleep(0.1)  # not a ping: its pool may be one that another test's worker closed with itself
    [line] = [line for line in log.lines if line["logger"] == "tests"]
    assert line["request_id"] == "asked-by-this-one"
    assert line["message"] == "invitations/[hidden] done"


def test_a_worker_keeps_our_lines(monkeypatch):
    monkeypatch.setattr(type(app.log), "_setup", False)  # a worker that ran earlier in this process
    assert type(app.log)(app).setup_logging_subsystem()  # with a listener, Celery sets up no logging
