"""Traces and faults are sent to external services only when configured, and never contain user texts."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import brotli
import httpx
import pytest
from django.conf import settings
from django.db import connection
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from annotation_app.fault_reports import picked
from annotation_app.tests.running_installation import wait_for
from annotation_app.tests.web_server import web_server
from annotation_app.tracing import name_of
from labeling.actions.api_tokens import create_token
from labeling.tests.factories import make_member, make_project, make_siblings, open_round
from labeling.tests.killed_process import environment

UNPACK = {"gzip": gzip.decompress, "br": brotli.decompress, "identity": bytes}
SECRET = "the secret sum of 17 and 4"


class Collector(ThreadingHTTPServer):
    """A server that accepts spans in OTLP format and faults in Sentry format."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.bodies: list[tuple[str, bytes]] = []

    @property
    def spans(self) -> list[tuple[str, Any]]:
        """Return (service, span) of everything received."""
        found = []
        for path, body in self.bodies:
            if path == "/v1/traces":
                for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
                    service = next(
                        one.value.string_value for one in sent.resource.attributes if one.key == "service.name"
                    )
                    found += [(service, span) for scope in sent.scope_spans for span in scope.spans]
        return found

    @property
    def faults(self) -> list[dict[str, Any]]:
        """Return Sentry's events: an envelope is lines of JSON, with a header before each item."""
        envelopes = [body.splitlines() for path, body in self.bodies if path.endswith("/envelope/")]
        return [json.loads(lines[2]) for lines in envelopes if json.loads(lines[1])["type"] == "event"]

    def in_trace(self, trace: str) -> dict[str, str]:
        """Name of each of its spans -> the service that sent it."""
        return {span.name: service for service, span in self.spans if span.trace_id.hex() == trace}


class Answers(BaseHTTPRequestHandler):
    server: Collector

    def log_message(self, *args: object) -> None:
        """Nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        unpack = UNPACK[self.headers.get("content-encoding", "identity")]
        self.server.bodies.append((self.path, unpack(body)))
        self.send_response(200)
        self.end_headers()


@pytest.fixture
def collector() -> Iterator[Collector]:
    """One for a test."""
    server = Collector()
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@contextmanager
def worker(folder: Path, **changes: str) -> Iterator[None]:
    """A worker of the cpu queue, as in production."""
    env = {**environment(), "DATA_DIR": str(folder / "data"), **changes}
    command = ["-m", "worker", "--queues", "cpu", "--concurrency", "1"]
    with (folder / "worker.log").open("w") as log:
        process = subprocess.Popen([sys.executable, *command], cwd=settings.BASE_DIR, env=env, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_one_trace_goes_from_the_press_to_the_rows_and_one_from_a_request_into_the_worker_and_no_text_leaves(
    collector: Collector, tmp_path: Path
):
    project = make_project(slug="algebra")
    make_siblings(project, [SECRET])
    open_round(project)
    annotator, admin = (
        httpx.Client(headers={"Authorization": f"Bearer {create_token(make_member(project, role), 'test')[1]}"})
        for role in ("annotator", "admin")
    )
    (tmp_path / "data").mkdir()
    address = f"http://127.0.0.1:{collector.server_port}"
    changes = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "100", "ALLOWED_HOSTS": "127.0.0.1"}
    changes["SENTRY_DSN"] = address.replace("://", "://key@") + "/1"
    with web_server(tmp_path, **changes) as url, worker(tmp_path, **changes):
        claimed = annotator.post(f"{url}/api/projects/algebra/labels/claim", json={}).raise_for_status().json()["label"]
        key = uuid4()
        sent: dict[str, Any] = {"idempotency_key": str(key), "finish_reason": "solution"}
        sent["ratings"] = [1] * len(claimed["steps"])
        sent["comments"] = [{"step": 0, "text": SECRET}]
        press = {"traceparent": f"00-{key.hex}-{key.hex[16:]}-01", "X-Stepmark-Pressed": "2500"}
        submitted = annotator.post(f"{url}/api/labels/{claimed['id']}/submit", json=sent, headers=press)
        assert submitted.status_code == 200, submitted.text

        asked = uuid4().hex
        begun = {"traceparent": f"00-{asked}-{asked[16:]}-01"}
        export = admin.post(f"{url}/api/projects/algebra/exports", json={"format": "neutral"}, headers=begun)
        assert export.status_code == 201, export.text

        wait_for("the worker's span", lambda: "run/worker.run_export" in collector.in_trace(asked), 60)

        with connection.cursor() as cursor:
            cursor.execute('ALTER TABLE "labeling_trace" RENAME TO "gone"')
        failed = admin.get(f"{url}/api/projects/algebra/traces", params={"q": SECRET})
        with connection.cursor() as cursor:
            cursor.execute('ALTER TABLE "gone" RENAME TO "labeling_trace"')
        assert failed.status_code == 500

        wait_for("the fault", lambda: bool(collector.faults), 60)
        assert httpx.get(f"{url}/readyz", headers={"Host": "a-balancer"}).status_code == 200  # as without traces
    spans = collector.in_trace(key.hex)
    assert {"key press", "POST api/labels/<int:label_id>/submit", "UPDATE labeling_label"} <= set(spans), spans
    pressed = next(span for _, span in collector.spans if span.name == "key press")
    assert pressed.span_id.hex() == key.hex[16:]
    assert pressed.end_time_unix_nano - pressed.start_time_unix_nano == 2500 * 10**6
    into = collector.in_trace(asked)
    assert into["run/worker.run_export"] == "stepmark-worker"
    assert into["POST api/projects/<slug:slug>/exports"] == "stepmark-web"
    fault = collector.faults[0]
    assert fault["tags"] == {"request_id": failed.headers["X-Request-Id"]}
    assert fault["exception"]["values"][-1]["type"] == "ProgrammingError"
    assert any(
        frame["module"].startswith("labeling.") for frame in fault["exception"]["values"][-1]["stacktrace"]["frames"]
    )
    everything = b"".join(body for _, body in collector.bodies)
    for text in (SECRET, "does not exist", SECRET.replace(" ", "+"), SECRET.replace(" ", "%20")):
        assert text.encode() not in everything


def test_of_a_fault_only_what_is_known_to_hold_no_text_is_sent():
    event = {
        "event_id": "1",
        "level": "error",
        "message": SECRET,
        "server_name": SECRET,
        "user": {"username": SECRET},
        "extra": {"celery-job": {"args": [SECRET]}},
        "contexts": {"trace": {"data": SECRET}},
        "breadcrumbs": {"values": [{"message": SECRET}]},
        "request": {"method": "POST", "url": SECRET, "data": SECRET, "headers": {"Cookie": SECRET}},
        "logentry": {"message": "round %s cannot go on: %s", "params": [1, SECRET], "formatted": SECRET},
        "exception": {
            "values": [
                {
                    "type": "ValueError",
                    "value": SECRET,
                    "stacktrace": {"frames": [{"function": "merge", "lineno": 3, "vars": {"step": SECRET}}]},
                }
            ]
        },
    }
    sent = picked(event)
    assert SECRET not in json.dumps(sent)
    assert sent["logentry"] == {"message": "round %s cannot go on: %s"}
    assert sent["exception"]["values"][0]["stacktrace"]["frames"] == [{"function": "merge", "lineno": 3}]
    assert sent["request"] == {"method": "POST"}


TO_SENTRY = """
import logging, sys, django, sentry_sdk
from sentry_sdk.transport import Transport
django.setup()
from annotation_app.fault_reports import start_fault_reports
class Kept(Transport):
    def capture_envelope(self, envelope):
        print("SENT", envelope.serialize().decode())
real = sentry_sdk.init
sentry_sdk.init = lambda *args, **known: real(*args, **known, transport=Kept())
start_fault_reports()
logging.getLogger("labeling").error("import of %s failed", sys.argv[1])
"""


def test_a_line_whose_values_hold_a_token_is_sent_without_them_as_any_other():
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotation_app.settings", "SENTRY_DSN": "http://a@127.0.0.1:1/1"}
    command = [sys.executable, "-c", TO_SENTRY, f"{SECRET} smk_abcdefgh12345"]
    done = subprocess.run(command, env=env, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    assert '"logentry":{"message":"import of %s failed"}' in done.stdout.replace(": ", ":")
    assert SECRET not in done.stdout
    assert f"import of {SECRET} smk_[hidden] failed" in done.stderr, "the log has it, without the token"


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ('SELECT "labeling_label"."id" FROM "labeling_label" WHERE id = 1', "SELECT labeling_label"),
        ("\n    UPDATE labeling_roundchunk SET status = 'running'", "UPDATE labeling_roundchunk"),
        ("INSERT INTO labeling_trace (text) SELECT text FROM staged", "INSERT labeling_trace"),
        ("WITH chosen AS (SELECT id FROM labeling_task) UPDATE labeling_label SET x = 1", "SELECT labeling_task"),
        ("SAVEPOINT s1", "statement"),
    ],
)
def test_a_statement_is_named_by_what_it_does_to_which_table(sql: str, name: str):
    assert name_of(sql) == name
