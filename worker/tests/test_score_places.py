"""Labels of runs sent to the services that recorded them: each score once, a changed one again, nothing twice."""

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotation_app.label_targets import read_label_targets
from labeling.actions.exports import create_export, run_export
from labeling.actions.label_pushes import run_push
from labeling.models import Export, Label, LabelPush, Membership, Project, SentScore
from labeling.tests.accounts import Browser
from labeling.tests.exports.test_labels_go_home import label_a_run_of_each, make_project_of_runs
from labeling.tests.factories import make_member
from worker.http import json_requests
from worker.score_places import opened_service

pytestmark = pytest.mark.django_db(transaction=True)
FORMATS = {"fuse": "langfuse_scores", "smith": "langsmith_feedback", "collector": "otel_evaluations"}
Json = dict[str, Any]


class Service(ThreadingHTTPServer):
    """Langfuse, LangSmith and a collector in one. `busy`: this many answers are 503; `refuses`: the status of all."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.asked: list[str] = []
        self.kept: dict[str, Json] = {}
        self.records: list[str] = []
        self.keys: set[str] = set()
        self.busy = self.refuses = self.rejects = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    server: Service
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        self._take()

    def do_PATCH(self) -> None:
        self._take()

    def _take(self) -> None:
        service, body = self.server, json.loads(self.rfile.read(int(self.headers["content-length"])))
        service.asked.append(f"{self.command} {self.path}")
        service.keys |= {self.headers[name] for name in ("authorization", "x-api-key") if self.headers[name]}
        if service.busy:
            service.busy -= 1
            self._answer(503)
        elif service.refuses:
            self._answer(service.refuses)
        elif self.path == "/v1/logs":
            self._take_records(body)
        elif self.path == "/feedback" and body["id"] in service.kept:
            self._answer(409)
        else:
            ident = body.get("id") or self.path.rsplit("/", 1)[-1]
            service.kept[ident] = {**service.kept.get(ident, {}), **body}
            self._answer(200)

    def _take_records(self, body: Json) -> None:
        for record in body["resourceLogs"][0]["scopeLogs"][0]["logRecords"]:
            said = {one["key"]: one["value"].get("stringValue") for one in record["attributes"]}
            self.server.records.append(said["log.record.uid"])
        rejected = {"rejectedLogRecords": str(self.server.rejects), "errorMessage": "too old"}
        self._answer(200, {"partialSuccess": rejected if self.server.rejects else {}})

    def _answer(self, status: int, value: Json | None = None) -> None:
        text = json.dumps(value or {}).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@pytest.fixture
def service(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    server = Service()
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    kinds = {"fuse": "langfuse", "smith": "langsmith", "collector": "otlp"}
    places = {name: {"kind": kind, "token_env": f"KEY_{name}", "url": server.url} for name, kind in kinds.items()}
    settings.LABEL_TARGETS = read_label_targets(json.dumps(places))
    for name in kinds:
        monkeypatch.setenv(f"KEY_{name}", "public:secret")
    monkeypatch.setattr(json_requests, "ATTEMPTS", 2)
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def project(tmp_path: Any) -> Project:
    made = make_project_of_runs()
    label_a_run_of_each(made, tmp_path)
    return made


@pytest.fixture
def admin(project: Project) -> Browser:
    return Browser(make_member(project, Membership.Role.ADMIN))


def export_of(project: Project, format: str, **asked: Any) -> Export:
    made = run_export(create_export(project, by=None, format=format, **asked).pk)
    assert made is not None
    return made


def pushed(admin: Browser, export: Export, target: str) -> LabelPush:
    """Request it over the API, and have a worker do it."""
    begun = admin.call("POST", f"/api/exports/{export.pk}/push", {"target": target}, status=201)
    found = run_push(begun["id"], opened_service)
    assert found is not None
    return found


def test_every_service_gets_each_score_once_and_a_changed_one_again(project, admin, service, subtests):
    for target, format in FORMATS.items():
        with subtests.test(target):
            export = export_of(project, format)
            shown = admin.call("GET", f"/api/exports/{export.pk}/pushes")
            assert (shown["targets"], shown["pushes"]) == ([target], [])
            first = pushed(admin, export, target)
            assert (first.status, first.error) == ("succeeded", "")
            assert first.scores_sent == first.scores_total > 3
            asked = len(service.asked)
            again = pushed(admin, export_of(project, format, gzip=True), target)
            assert (again.scores_sent, again.scores_total, len(service.asked)) == (0, first.scores_total, asked)
            assert (
                admin.call("GET", f"/api/exports/{export.pk}/pushes")["pushes"][0]["scores_sent"] == first.scores_sent
            )
    assert service.keys == {"public:secret", "Bearer public:secret", _basic("public:secret")}
    assert len(set(service.records)) == len(service.records) > 3
    for label in Label.objects.all():
        Label.objects.filter(pk=label.pk).update(run_marks={**label.run_marks, "outcome": "success"})
    changed = pushed(admin, export_of(project, "langsmith_feedback"), "smith")
    assert changed.scores_sent == 1
    assert service.asked[-2:] == ["POST /feedback", f"PATCH /feedback/{service.asked[-1].rsplit('/', 1)[-1]}"]
    assert service.kept[service.asked[-1].rsplit("/", 1)[-1]]["value"] == "success"


def _basic(token: str) -> str:
    return f"Basic {base64.b64encode(token.encode()).decode()}"


def test_a_service_that_is_busy_is_asked_again_and_what_it_took_before_it_refused_is_not_sent_twice(
    project, admin, service, monkeypatch
):
    export = export_of(project, "langfuse_scores")
    service.busy = 1
    monkeypatch.setattr("labeling.actions.label_pushes.BATCH", 2)
    assert pushed(admin, export, "fuse").status == "succeeded"
    SentScore.objects.all().delete()
    service.refuses = 401
    refused = pushed(admin, export, "fuse")
    assert (refused.status, refused.scores_sent) == ("failed", 0)
    assert f"{service.url} answered 401" in refused.error
    assert "secret" not in refused.error
    service.refuses, service.rejects = 0, 2
    left_out = pushed(admin, export_of(project, "otel_evaluations"), "collector")
    assert (left_out.status, "rejected 2 records: too old" in left_out.error) == ("failed", True)
    monkeypatch.delenv("KEY_fuse")
    assert "Set the environment variable KEY_fuse" in pushed(admin, export, "fuse").error


def test_only_an_admin_sends_only_to_a_named_service_and_only_what_it_takes(project, admin, service):
    export = export_of(project, "langfuse_scores")
    for target in ("smith", "https://evil.example", ""):
        admin.call("POST", f"/api/exports/{export.pk}/push", {"target": target}, status=400)
    packed = export_of(project, "langfuse_scores", container="parquet")
    assert admin.call("GET", f"/api/exports/{packed.pk}/pushes")["targets"] == []
    researcher = Browser(make_member(project, Membership.Role.RESEARCHER))
    researcher.call("POST", f"/api/exports/{export.pk}/push", {"target": "fuse"}, status=404)
    assert not LabelPush.objects.exists()


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"kind": "langfuse"}, "token_env"),
        ({"kind": "zipkin", "token_env": "T"}, "langfuse, langsmith, otlp"),
        ({"kind": "otlp", "token_env": "T"}, "needs a url"),
        ({"kind": "langfuse", "token_env": "T T"}, "name of a variable"),
        ({"kind": "otlp", "token_env": "T", "url": "http://u:p@host"}, "needs a url"),
        ({"kind": "otlp", "token_env": "T", "url": "http://host", "header": "a: b"}, "name of a header"),
        ({"kind": "otlp", "token_env": 1}, "must be a text"),
    ],
)
def test_a_service_that_cannot_be_one_is_refused_with_its_name(record, said):
    with pytest.raises(ImproperlyConfigured, match=said):
        read_label_targets(json.dumps({"home": record}))
