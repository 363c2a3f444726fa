"""The client takes a release from draft to download; interrupted downloads resume; terminals only get text."""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from labeling.actions.labels import revise_label
from labeling.models import Membership, Project
from labeling.tests.exports.labeled import give_label
from labeling.tests.factories import make_submission, make_traces
from stepmark import Damaged, NotReachable, Refused, Stepmark
from stepmark.cli import main
from stepmark.config import Login
from stepmark.downloads import TRIES
from stepmark.http import Http

pytestmark = pytest.mark.django_db(transaction=True)
COMMANDS = "\x1b]0;owned\x07\x9b2J\x7f\u202etxt"


def run(capsys: pytest.CaptureFixture[str], *command: Any) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a command."""
    capsys.readouterr()
    code = main([str(word) for word in command])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.usefixtures("working")
def test_the_command_line_takes_labels_to_a_release_and_to_what_changed_since(
    site: Stepmark, algebra: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Membership.objects.filter(user__username="rosa").update(role="admin")
    make_traces(algebra, 2)
    revised = give_label(algebra, [1, 1, 1])
    project = site.project("algebra")
    first = project.releases.create("Sums", [project.export()["id"]])
    assert (first["state"], first["labels"]) == ("draft", 1)
    code, _, err = run(capsys, "releases", "publish", first["id"])
    assert (code, "deployment_monitor: " in err) == (1, True)
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"licence": "cc-by-4.0", "language": "en"}))
    said = ("--answers", answers, "--answer", f"purpose={COMMANDS}", "--rest-unknown")
    assert "Not answered" not in run(capsys, "releases", "fill", first["id"], *said)[1]
    code, out, _ = run(capsys, "releases", "card", first["id"])
    assert (code, "owned" in out, set(out) & set("\x1b\x07\x9b\x7f\u202e")) == (0, True, set())
    assert "is released, 1 labels" in run(capsys, "releases", "publish", first["id"])[1]

    revise_label(revised, make_submission([1, -1, None]))
    code, out, _ = run(capsys, "export", "algebra", "--format", "trl_stepwise", "-o", tmp_path / "rows.jsonl", "--json")
    created = run(capsys, "releases", "create", "algebra", "Sums", "--export", json.loads(out)["id"], "--json")
    second = json.loads(created[1])
    assert (second["version"], second["supersedes"]["id"]) == (2, first["id"])
    code, out, _ = run(capsys, "releases", "diff", second["id"], "-o", tmp_path / "diff.csv")
    assert (code, "0 added, 0 removed, 1 changed, 1 with another verdict" in out) == (0, True)
    assert len((tmp_path / "diff.csv").read_text().splitlines()) == 2
    assert "0 changed" in run(capsys, "releases", "diff", second["id"], "--since", second["id"])[1]
    assert [row.split()[:2] for row in run(capsys, "releases", "list", "algebra")[1].splitlines()] == [
        [str(second["id"]), "draft"],
        [str(first["id"]), "released"],
    ]

    assert f"these labels: {revised.pk}" in run(capsys, "releases", "find", first["id"], "1")[1]
    name = project.releases.label(first["id"], revised.pk)["labeler"]
    assert [one["id"] for one in project.releases.went_into(first["id"], name)["releases"]] == [
        second["id"],
        first["id"],
    ]
    code, _, err = run(capsys, "releases", "without", first["id"], "nobody")
    assert (code, "nothing here that you can see" in err) == (1, True), err

    zipped = tmp_path / "sums.zip"
    assert run(capsys, "releases", "download", second["id"], "-o", zipped)[0] == 1, "nothing is packed yet"
    assert run(capsys, "releases", "download", first["id"], "-o", zipped)[0] == 0
    half = zipped.rename(tmp_path / f"sums.zip.{project.releases.get(first['id'])['manifest_sha256'][:16]}.part")
    whole = half.read_bytes()
    half.write_bytes(whole[:100])
    answered: list[httpx.Response] = []
    site.http._client.event_hooks = {"response": [answered.append]}
    assert project.releases.download(first["id"], zipped).read_bytes() == whole
    assert (answered[-1].status_code, int(answered[-1].headers["Content-Length"])) == (206, len(whole) - 100)
    assert not half.exists()
    code, _, err = run(capsys, "releases", "push", first["id"], "nowhere")
    assert (code, "RELEASE_TARGETS" in err) == (1, True)
    drafted = run(capsys, "releases", "create", "algebra", "Unwanted", "--export", first["exports"][0]["id"], "--json")[
        1
    ]
    gone = str(json.loads(drafted)["id"])
    assert "Removed the draft Unwanted v1" in run(capsys, "releases", "remove", gone)[1]
    assert "Withdrawn: Guessed." in run(capsys, "releases", "withdraw", first["id"], "--because", "Guessed.")[1]
    with pytest.raises(Refused, match="withdrawn"):
        project.releases.download(first["id"], zipped)


class BrokenOff(httpx.SyncByteStream):
    """Send some bytes, then drop the connection."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __iter__(self) -> Iterator[bytes]:
        yield self.content
        raise httpx.ReadError("gone")


def serving(*answers: httpx.Response) -> tuple[Stepmark, list[httpx.Request]]:
    """Return a client of a server that gives these answers in turn, and what it sent."""
    sent: list[httpx.Request] = []
    left = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return left.pop(0)

    http = Http(Login("https://site.example.org", "smk_x"), sleep=lambda _: None, patience=0)
    http._client = httpx.Client(transport=httpx.MockTransport(answer), base_url="https://site.example.org")
    return Stepmark(http=http), sent


def test_what_broke_off_goes_on_where_it_stopped_and_other_bytes_are_taken_anew(tmp_path: Path) -> None:
    rows, target = b"one\ntwo\nthree\n", tmp_path / "labels.jsonl"
    export: Any = {"id": 1, "sha256": hashlib.sha256(rows).hexdigest(), "bytes": len(rows)}
    site, sent = serving(
        httpx.Response(200, stream=BrokenOff(rows[:4])),
        *(httpx.Response(206, stream=BrokenOff(b"")) for _ in range(1, TRIES)),
        httpx.Response(206, content=rows[4:]),
    )
    with pytest.raises(NotReachable):
        site.project("algebra").download(export, target)
    assert not target.exists()
    assert site.project("algebra").download(export, target).read_bytes() == rows
    assert [request.headers.get("Range") for request in sent] == [None, *["bytes=4-"] * TRIES]
    assert sent[-1].headers["If-Range"] == f'"{export["sha256"]}"'

    (tmp_path / f"labels.jsonl.{export['sha256'][:16]}.part").write_bytes(b"of another file")
    site, sent = serving(httpx.Response(206, content=rows[4:]), httpx.Response(200, content=rows))
    assert site.project("algebra").download(export, target).read_bytes() == rows
    assert os.listdir(tmp_path) == ["labels.jsonl"]

    release: Any = {"is_packed": True, "manifest_sha256": "0" * 64}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("MANIFEST.json", "{}")
    for content in (b"no zip", zipped.getvalue()):
        site, _ = serving(
            httpx.Response(200, json=release | {"bytes": len(content)}), httpx.Response(200, content=content)
        )
        with pytest.raises(Damaged):
            site.project("algebra").releases.download(1, tmp_path / "sums.zip")
    assert os.listdir(tmp_path) == ["labels.jsonl"]
