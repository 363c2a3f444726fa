"""Pushing a release's folder: to a server that answers as the Hub does, and to one that answers as S3 does."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from annotation_app.release_targets import read_release_targets
from labeling.actions.releases import PUSH
from labeling.errors import PushRefused
from worker.http.s3 import signed_headers
from worker.release_places import send_folder

FILES = {
    "README.md": b"---\nlicense: mit\n---\n# Sums\n",
    "MANIFEST.json": b"{}\n",
    "data/neutral-train.jsonl": b'{"a": 1}\n',
}


class Place(ThreadingHTTPServer):
    """Takes what both kinds of place are sent. `refuses`: the status of every answer."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.files: dict[str, bytes] = {}
        self.order: list[str] = []
        self.tokens: set[str] = set()
        self.refuses = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    server: Place
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self._answer({} if self.server.refuses else [])

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        assert hashlib.sha256(body).hexdigest() == self.headers["x-amz-content-sha256"]
        self.server.tokens.add(self.headers["authorization"].split(",")[0])
        self._keep(self.path, body)
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.tokens.add(self.headers["authorization"])
        if self.path.endswith("/preupload/main"):
            modes = [{"path": one["path"], "uploadMode": "regular"} for one in json.loads(body)["files"]]
            self._answer({"files": [{**mode, "shouldIgnore": False} for mode in modes]})
        elif "/commit/main" in self.path:
            for line in body.splitlines():
                self._commit(json.loads(line))
            about = {"commitUrl": f"{self.server.url}/datasets/lab/sums/commit/1", "commitOid": "1", "success": True}
            self._answer(about)
        else:
            self._answer({"url": f"{self.server.url}/datasets/lab/sums", "errors": [], "warnings": []})

    def _commit(self, entry: dict[str, Any]) -> None:
        if entry["key"] == "file":
            self._keep(entry["value"]["path"], base64.b64decode(entry["value"]["content"]))

    def _keep(self, path: str, body: bytes) -> None:
        self.server.files[path] = body
        self.server.order.append(path)

    def _answer(self, value: Any) -> None:
        text = json.dumps(value).encode()
        self.send_response(self.server.refuses or 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@pytest.fixture
def place() -> Iterator[Place]:
    server = Place()
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "7"
    for name, content in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(content)
    return made


def test_a_site_without_a_gpu_can_push() -> None:
    assert settings.CELERY_TASK_ROUTES.get(PUSH, {"queue": settings.CELERY_TASK_DEFAULT_QUEUE}) == {"queue": "cpu"}
    for_every_image = (settings.BASE_DIR / "requirements" / "base.txt").read_text()
    assert re.search(r"^huggingface-hub==", for_every_image, flags=re.MULTILINE)


def test_every_file_reaches_the_hub_in_one_commit_with_the_operators_token(
    place: Place, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"kind": "huggingface", "to": "lab/sums", "token_env": "HUB_TOKEN", "url": place.url}
    target = read_release_targets(json.dumps({"hub": record}))["hub"]
    monkeypatch.delenv("HUB_TOKEN", raising=False)
    with pytest.raises(PushRefused, match="HUB_TOKEN"):
        send_folder(folder, target, "Sums v1")
    monkeypatch.setenv("HUB_TOKEN", "hf_secret")
    assert send_folder(folder, target, "Sums v1").endswith("/datasets/lab/sums/commit/1")
    assert place.files == FILES
    assert place.tokens == {"Bearer hf_secret"}
    place.refuses = 403
    with pytest.raises(PushRefused, match="403") as refused:
        send_folder(folder, target, "Sums v1")
    assert "hf_secret" not in str(refused.value.detail)


def test_every_file_reaches_the_bucket_signed_and_the_manifest_last(
    place: Place, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"kind": "s3", "to": "labels/out", "token_env": "S3_KEY", "url": place.url}
    target = read_release_targets(json.dumps({"store": record}))["store"]
    monkeypatch.setenv("S3_KEY", "id:secret")
    assert send_folder(folder, target, "Sums v1") == f"{place.url}/labels/out/7/"
    assert place.files == {f"/labels/out/7/{name}": content for name, content in FILES.items()}
    assert place.order[-1].endswith("MANIFEST.json")
    [token] = place.tokens
    assert re.fullmatch(r"AWS4-HMAC-SHA256 Credential=id/\d{8}/us-east-1/s3/aws4_request", token)
    place.refuses = 403
    with pytest.raises(PushRefused, match="403"):
        send_folder(folder, target, "Sums v1")


def test_a_signature_is_the_one_that_the_documentation_of_s3_computes() -> None:
    # Amazon's example "GET bucket lifecycle" of "Signature calculations for the Authorization header".
    made = signed_headers(
        "GET",
        "https://examplebucket.s3.amazonaws.com/?lifecycle=",
        hashlib.sha256(b"").hexdigest(),
        key="AKIAIOSFODNN7EXAMPLE",
        secret="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        region="us-east-1",
        at=datetime(2013, 5, 24, tzinfo=UTC),
    )
    assert made["authorization"].endswith("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ("[]", "one line of JSON"),
        ({"kind": "huggingface", "to": "a/b"}, "token_env"),
        ({"kind": "ftp", "to": "a/b", "token_env": "T"}, "huggingface or s3"),
        ({"kind": "huggingface", "to": "a/../b", "token_env": "T"}, "owner/name"),
        ({"kind": "s3", "to": "labels", "token_env": "T"}, "url"),
        ({"kind": "s3", "to": "labels", "token_env": "T T", "url": "http://h"}, "variable"),
    ],
)
def test_a_place_that_cannot_be_one_is_refused_with_its_name(record: Any, said: str) -> None:
    text = record if isinstance(record, str) else json.dumps({"hub": record})
    with pytest.raises(ImproperlyConfigured, match=said):
        read_release_targets(text)
