"""Whatever a server answers, over HTTP: the client ends with a sentence, and keeps nothing that it did not check."""

import hashlib
import io
import itertools
import json
import stat
import zipfile
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from stepmark import NotUnderstood, Stepmark
from stepmark.cli import main

Said = Any  # JSON, or a function that writes to the handler


class Hostile(ThreadingHTTPServer):
    """A server that gives to each path what was said of it, and notes what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.said: dict[str, Said] = {}
        self.asked: list[tuple[str, str | None]] = []

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answering(BaseHTTPRequestHandler):
    """Of one request."""

    protocol_version = "HTTP/1.1"
    server: Hostile

    def do_GET(self) -> None:
        """What was said of the path, in whatever query."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.path, self.headers.get("Range")))
        said = self.server.said[self.path.partition("?")[0]]
        if callable(said):
            said(self)
        else:
            self.whole(said if isinstance(said, bytes) else json.dumps(said).encode())

    do_POST = do_GET

    def whole(self, body: bytes, status: int = 200) -> None:
        """An answer with an end."""
        self.begin(status, len(body))
        self.wfile.write(body)

    def begin(self, status: int, size: int) -> None:
        """Its head."""
        self.send_response(status)
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Not on stderr."""


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hostile]:
    """The server of whoever runs the command line here."""
    with Hostile() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("STEPMARK_CONFIG", str(tmp_path / "login.json"))
        monkeypatch.setenv("STEPMARK_URL", server.url)
        monkeypatch.setenv("STEPMARK_TOKEN", "smk_x")
        yield server
        server.shutdown()
        thread.join()


def run(capsys: pytest.CaptureFixture[str], *command: Any) -> tuple[int, str]:
    """Exit code and stderr of a command."""
    capsys.readouterr()
    code = main([str(word) for word in command])
    return code, capsys.readouterr().err


def sha256(content: bytes) -> str:
    """As the API tells it."""
    return hashlib.sha256(content).hexdigest()


Entries = list[tuple[str | zipfile.ZipInfo, bytes]]


def release_of(entries: Entries, listed: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    """A release and its zip, whose manifest lists these files."""
    files = [{"path": name, "sha256": sha256(content)} for name, content in listed.items()]
    manifest, zipped = json.dumps({"files": files}).encode(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        for name, content in [*entries, ("MANIFEST.json", manifest)]:
            archive.writestr(name, content)
    about = {"id": 1, "is_packed": True, "state": "released", "status": "succeeded"}
    return {**about, "manifest_sha256": sha256(manifest), "bytes": len(zipped.getvalue())}, zipped.getvalue()


def linked(name: str) -> zipfile.ZipInfo:
    """A symbolic link, as unzip makes one."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


GOOD, OTHER = b"good\n", b"other\n"
ROWS = ("data/x.jsonl", GOOD)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("entries", "listed", "said"),
    [
        ([ROWS, ("data/unnamed.jsonl", OTHER)], dict([ROWS]), "data/unnamed.jsonl is in the zip, and MANIFEST.json"),
        ([("data/x.jsonl", OTHER), ROWS], dict([ROWS]), "data/x.jsonl is in the release more than once"),
        ([], dict([ROWS]), "data/x.jsonl is not in the zip"),
        ([("MANIFEST.json", b"{}"), ROWS], dict([ROWS]), "MANIFEST.json is in the release more than once"),
        ([ROWS, ("data/", b"")], dict([ROWS]), "data/ is no plain file"),
        ([("../../evil.sh", GOOD)], {"../../evil.sh": GOOD}, "../../evil.sh is no place within a release"),
        ([("/etc/evil", GOOD)], {"/etc/evil": GOOD}, "/etc/evil is no place"),
        ([("a\\..\\..\\evil", GOOD)], {"a\\..\\..\\evil": GOOD}, "evil is no place"),
        ([("C:evil", GOOD)], {"C:evil": GOOD}, "C:evil is no place"),
        ([(linked("data"), b"/etc")], {"data": b"/etc"}, "data is no plain file"),
    ],
)
def test_a_release_holds_the_files_of_its_manifest_and_no_others(hostile, tmp_path, capsys, entries, listed, said):
    hostile.said["/api/releases/1"], hostile.said["/api/releases/1/download"] = release_of(entries, listed)
    code, err = run(capsys, "releases", "download", 1, "-o", tmp_path / "out" / "r.zip")
    assert (code, said in err) == (1, True), err
    assert list((tmp_path / "out").iterdir()) == []


def test_a_release_as_its_manifest_has_it_is_written(hostile, tmp_path, capsys):
    hostile.said["/api/releases/1"], hostile.said["/api/releases/1/download"] = release_of([ROWS], dict([ROWS]))
    assert run(capsys, "releases", "download", 1, "-o", tmp_path / "r.zip") == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["r.zip"]


def test_a_list_that_goes_round_is_left_and_its_rows_come_as_they_are_asked_for(hostile, capsys):
    hostile.said["/api/projects"] = {"results": [{"slug": "p"}], "next": "same"}
    code, err = run(capsys, "projects")
    assert (code, "/api/projects answered with a list that goes round and has no end" in err) == (4, True), err
    assert len(hostile.asked) == 2
    pages = Stepmark().pages("/api/projects")
    assert (next(pages), len(hostile.asked)) == ({"slug": "p"}, 3), "no page is asked for before its rows are"


@pytest.mark.parametrize(("rows", "said"), [([{"id": 1}] * 50, "list of more than 120 rows"), ([], "has no end")])
def test_a_list_with_ever_new_cursors_is_not_kept_without_end(hostile, capsys, monkeypatch, rows, said):
    monkeypatch.setattr("stepmark.answers.MOST_ROWS", 120, raising=False)
    monkeypatch.setattr("stepmark.client.EMPTY_PAGES", 3, raising=False)
    counted = itertools.count()

    def page(handler: Answering) -> None:
        number = next(counted)
        handler.whole(json.dumps({"results": rows, "next": f"c{number}" if number < 10 else None}).encode())

    for path, command in {"rounds": ("rounds", "list", "p"), "releases": ("releases", "list", "p")}.items():
        hostile.said[f"/api/projects/p/{path}"], counted = page, itertools.count()
        code, err = run(capsys, *command)
        assert (code, said in err) == (4, True), err


@pytest.mark.parametrize("page", [[], {"results": None, "next": None}, {"results": [], "next": 7}, {"next": None}])
def test_what_is_no_page_of_a_list_is_said_so(hostile, page):
    hostile.said["/api/projects"] = page
    with pytest.raises(NotUnderstood, match="/api/projects answered with something other than a page of a list"):
        Stepmark().projects()
