"""Pushing a release's folder to a server that answers like the Hub, and to one that answers like S3."""

import base64
import gzip
import json
import logging
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import boto3
import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from moto.server import ThreadedMotoServer

from annotation_app.release_targets import read_release_targets
from labeling.actions.releases import PUSH
from labeling.errors import PushRefused
from worker.release_places import send_folder

FILES = {
    "README.md": b"---\nlicense: mit\n---\n# Sums\n",
    "MANIFEST.json": b"{}\n",
    "data/neutral-train.jsonl": b'{"a": 1}\n',
}


class Place(ThreadingHTTPServer):
    """Accepts what is sent to the Hub. `refuses`: the status of every answer."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.files: dict[str, bytes] = {}
        self.tokens: set[str] = set()
        self.refuses = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    server: Place
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self._answer({} if self.server.refuses else [])

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
            self.server.files[entry["value"]["path"]] = base64.b64decode(entry["value"]["content"])

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
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
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


@pytest.fixture
def bucket() -> Iterator[tuple[str, Any]]:
    """The address of a server that speaks S3, and a bucket there."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line a request hides the failure
    server.start()
    url = "http://{}:{}".format(*server.get_host_and_port())
    key = {"aws_access_key_id": "id", "aws_secret_access_key": "secret"}
    yield url, boto3.resource("s3", endpoint_url=url, region_name="us-east-1", **key).create_bucket(Bucket="labels")
    server.stop()


def test_every_file_reaches_the_bucket_as_it_is_and_the_manifest_last(
    bucket: tuple[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, kept = bucket
    packed = gzip.compress(b'{"a": 1}\n')
    large = bytes(9 * 2**20)  # is sent in parts
    (folder / "data" / "rows.jsonl.gz").write_bytes(packed)
    (folder / "data" / "large.parquet").write_bytes(large)
    record = {"kind": "s3", "to": "labels/out", "token_env": "S3_KEY", "url": url}
    target = read_release_targets(json.dumps({"store": record}))["store"]
    monkeypatch.setenv("S3_KEY", "id:secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of another key")
    assert send_folder(folder, target, "Sums v1") == f"{url}/labels/out/7/"
    sent = {one.key: one.get() for one in kept.objects.all()}
    everything = {**FILES, "data/rows.jsonl.gz": packed, "data/large.parquet": large}
    assert {name: answer["Body"].read() for name, answer in sent.items()} == {
        f"out/7/{name}": content for name, content in everything.items()
    }
    assert "-" in sent["out/7/data/large.parquet"]["ETag"], "the ETag of what came in parts counts them"
    assert all(not answer.get("ContentEncoding") for answer in sent.values()), "nobody unpacks it on the way"
    written = sorted((answer["LastModified"], name == "out/7/MANIFEST.json") for name, answer in sent.items())
    assert written[-1][1]
    gone = read_release_targets(json.dumps({"store": {**record, "to": "nowhere"}}))["store"]
    with pytest.raises(PushRefused, match="bucket does not exist") as refused:
        send_folder(folder, gone, "Sums v1")
    assert "secret" not in str(refused.value.detail)


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
