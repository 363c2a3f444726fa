"""Whatever a server answers over HTTP, the client ends with a clear message, and keeps nothing unchecked."""

import contextlib
import hashlib
import io
import itertools
import json
import os
import resource
import stat
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from stepmark import Damaged, NoRoom, NotReachable, NotUnderstood, Stepmark, StepmarkError
from stepmark.cli import main
from stepmark.config import Login
from stepmark.downloads import PROGRESS, TRIES
from stepmark.http import Http

Said = Any  # JSON, or a function that writes to the handler


class Hostile(ThreadingHTTPServer):
    """A server that gives each path its prepared answer, and records its requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.said: dict[str, Said] = {}
        self.asked: list[tuple[str, str | None]] = []

    def handle_error(self, *_: object) -> None:
        """Ignore clients that disconnect early."""

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answering(BaseHTTPRequestHandler):
    """Handler of one request."""

    protocol_version = "HTTP/1.1"
    server: Hostile

    def do_GET(self) -> None:
        """Send the path's prepared answer, for any query."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.path, self.headers.get("Range")))
        said = self.server.said[self.path.partition("?")[0]]
        if callable(said):
            said(self)
        else:
            self.whole(said if isinstance(said, bytes) else json.dumps(said).encode())

    do_POST = do_GET

    def whole(self, body: bytes, status: int = 200) -> None:
        """Send a complete answer."""
        self.begin(status, len(body))
        self.wfile.write(body)

    def begin(self, status: int, size: int) -> None:
        """Send its header."""
        self.send_response(status)
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing to stderr."""


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hostile]:
    """The server that the command line here uses."""
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
    """Return exit code and stderr of a command."""
    capsys.readouterr()
    code = main([str(word) for word in command])
    return code, capsys.readouterr().err


def sha256(content: bytes) -> str:
    """Return a hash as the API states it."""
    return hashlib.sha256(content).hexdigest()


Entries = list[tuple[str | zipfile.ZipInfo, bytes]]


def release_of(entries: Entries, listed: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    """Return a release and its zip, whose manifest lists these files."""
    files = [{"path": name, "sha256": sha256(content)} for name, content in listed.items()]
    manifest, zipped = json.dumps({"files": files}).encode(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        for name, content in [*entries, ("MANIFEST.json", manifest)]:
            archive.writestr(name, content)
    about = {"id": 1, "is_packed": True, "state": "released", "status": "succeeded"}
    return {**about, "manifest_sha256": sha256(manifest), "bytes": len(zipped.getvalue())}, zipped.getvalue()


def linked(name: str) -> zipfile.ZipInfo:
    """Return a zip entry that unzip makes a symbolic link."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


GOOD, OTHER = b"good\n", b"other\n"
ROWS = ("data/x.jsonl", GOOD)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("entries", "listed", "said"),
    [
        ([ROWS, ("data/unnamed.jsonl", OTHER)], dict([ROWS]), "data/unnamed.jsonl is in the zip, but MANIFEST.json"),
        ([("data/x.jsonl", OTHER), ROWS], dict([ROWS]), "data/x.jsonl is in the release more than once"),
        ([], dict([ROWS]), "data/x.jsonl is not in the zip"),
        ([("MANIFEST.json", b"{}"), ROWS], dict([ROWS]), "MANIFEST.json is in the release more than once"),
        ([ROWS, ("data/", b"")], dict([ROWS]), "data/ is not a plain file"),
        ([("../../evil.sh", GOOD)], {"../../evil.sh": GOOD}, "../../evil.sh is not a path within a release"),
        ([("/etc/evil", GOOD)], {"/etc/evil": GOOD}, "/etc/evil is not a path"),
        ([("a\\..\\..\\evil", GOOD)], {"a\\..\\..\\evil": GOOD}, "evil is not a path"),
        ([("C:evil", GOOD)], {"C:evil": GOOD}, "C:evil is not a path"),
        ([(linked("data"), b"/etc")], {"data": b"/etc"}, "data is not a plain file"),
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
    assert (code, "/api/projects answered with a list that never ends" in err) == (4, True), err
    assert len(hostile.asked) == 2
    pages = Stepmark().pages("/api/projects")
    assert (next(pages), len(hostile.asked)) == ({"slug": "p"}, 3), "no page is asked for before its rows are"


@pytest.mark.parametrize(("rows", "said"), [([{"id": 1}] * 50, "list of more than 120 rows"), ([], "never ends")])
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


def export_of(content: bytes, **otherwise: Any) -> Any:
    """Return an export as the API describes it."""
    about = {"id": 1, "status": "succeeded", "rows": 1, "bytes": len(content), "without_rows": None}
    return {**about, "sha256": sha256(content), **otherwise}


def offered(hostile: Hostile, export: Any, file: Said) -> tuple[str, ...]:
    """Return the command that makes this export and gets this file."""
    hostile.said |= {f"/api/{path}": export for path in ("projects/p/exports", "exports/1")}
    hostile.said["/api/exports/1/download"] = file
    return ("labels", "p", "--output")


def breaking_off(content: bytes, piece: int) -> Callable[[Answering], None]:
    """Send this many bytes of a file at a time, from the requested offset, then drop the connection."""

    def some(handler: Answering) -> None:
        start = int((handler.headers["Range"] or "bytes=0-")[6:-1])
        handler.begin(206 if start else 200, len(content) - start)
        handler.wfile.write(content[start : start + piece])
        handler.close_connection = True

    return some


def unresting(hostile: Hostile) -> tuple[Stepmark, list[float]]:
    """Return a client that only records its pauses."""
    pauses: list[float] = []
    return Stepmark(http=Http(Login(hostile.url, "smk_x"), sleep=pauses.append)), pauses


def test_a_download_that_brings_next_to_nothing_is_tried_with_growing_pauses_and_left(hostile, tmp_path):
    content, target = os.urandom(4 * PROGRESS), tmp_path / "rows"
    export = export_of(content)
    offered(hostile, export, breaking_off(content, 20))
    site, pauses = unresting(hostile)
    with pytest.raises(NotReachable, match=f"broke off.* {TRIES} times in a row. 160 bytes are kept"):
        site.project("p").download(export, target)
    assert (len(hostile.asked), len(pauses)) == (TRIES, TRIES - 1)
    assert all(after > before for before, after in itertools.pairwise(pauses))
    assert (sum(pauses) > 30, target.exists()) == (True, False)

    hostile.said["/api/exports/1/download"] = breaking_off(content, PROGRESS)
    assert site.project("p").download(export, target).read_bytes() == content, "as long as it gets on, it goes on"
    assert all(pause < 2 for pause in pauses[TRIES - 1 :])


def endless(handler: Answering) -> None:
    """Send an endless body."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    with contextlib.suppress(OSError):
        for _ in range(300):  # MB: it does end, so that the test ends
            handler.wfile.write(b"100000\r\n" + b"a" * 2**20 + b"\r\n")
    handler.close_connection = True


@contextlib.contextmanager
def files_of_a_mb() -> Iterator[None]:
    """Limit files to 1 MB within the block."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_no_more_is_written_than_the_server_told(hostile, tmp_path, capsys):
    command = offered(hostile, export_of(b"data"), endless)
    with files_of_a_mb():
        code, err = run(capsys, *command, tmp_path / "rows")
    assert (code, "The server sent more than the 4 bytes it announced" in err) == (1, True), err
    assert list(tmp_path.iterdir()) == []
    part = tmp_path / f"rows.{sha256(b'data')[:16]}.part"
    part.write_bytes(b"more than was told")
    hostile.said["/api/exports/1/download"] = b"data"
    assert run(capsys, *command, tmp_path / "rows") == (0, "")
    assert hostile.asked[-1] == ("/api/exports/1/download", None)
    command = offered(hostile, export_of(b""), b"")
    assert run(capsys, *command, tmp_path / "rows") == (0, "")
    assert (tmp_path / "rows").read_bytes() == b""


def test_a_file_that_does_not_fit_is_told_in_words(hostile, tmp_path, capsys):
    command = offered(hostile, export_of(b"data", bytes=10**18), b"data")
    code, err = run(capsys, *command, tmp_path / "rows")
    assert (code, "The download needs 1,000,000,000,000,000,000 bytes;" in err) == (1, True), err
    content = bytes(2**21)
    command = offered(hostile, export_of(content), content)
    with files_of_a_mb(), pytest.raises(NoRoom, match="rows cannot be written: File too large. Free some space"):
        Stepmark().project("p").download(export_of(content), tmp_path / "rows")
    assert list(tmp_path.iterdir()) == []
    assert run(capsys, *command, tmp_path / "rows") == (0, "")


@pytest.mark.parametrize(
    ("otherwise", "said"),
    [
        ({"sha256": "/../../x"}, "answered with '/../../x' as sha256, which is not a SHA-256"),
        ({"sha256": "é" * 64}, "as sha256, which is not a SHA-256"),
        ({"sha256": "A" * 10**6}, "AAA… as sha256"),
        ({"sha256": None}, "with None as sha256"),
        ({"rows": "many"}, "with 'many' as rows, which is not a count"),
        ({"bytes": -1}, "with -1 as bytes"),
        ({"bytes": True}, "with True as bytes"),
        ({"id": "../../session"}, "with '../../session' as id"),
    ],
)
def test_hashes_and_numbers_that_are_none_end_in_a_sentence(hostile, tmp_path, capsys, otherwise, said):
    command = offered(hostile, export_of(b"data", **otherwise), b"data")
    hostile.said["/api/exports/../../session"] = hostile.said["/session"] = hostile.said["/api/exports/1"]
    code, err = run(capsys, *command, tmp_path / "out" / "rows")
    assert (code, said in err, len(err) < 1000) == (4, True, True), err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["manifest_sha256", "bytes"])
def test_a_release_whose_hash_or_size_is_none_is_not_fetched(hostile, tmp_path, capsys, name):
    hostile.said["/api/releases/1"] = release_of([ROWS], dict([ROWS]))[0] | {name: "/x"}
    code, err = run(capsys, "releases", "download", 1, "-o", tmp_path / "r.zip")
    assert (code, f"with '/x' as {name}" in err, len(hostile.asked)) == (4, True, 1), err


@pytest.mark.parametrize(
    ("round_", "said"),
    [
        ({"counts": {"tasks": "many"}}, "ValueError: Cannot specify"),
        ({"counts": {"tasks": None}}, "TypeError: "),
        ({"counts": "many" * 1000}, "TypeError: "),
    ],
)
def test_an_odd_answer_ends_in_one_short_sentence(hostile, capsys, round_, said):
    hostile.said["/api/rounds/1"] = {"number": 1, "id": 1, "status": "closed", **round_}
    code, err = run(capsys, "rounds", "wait", 1)
    assert (code, f"does not understand the server's answer: {said}" in err, len(err) < 500) == (1, True, True), err


def test_a_terminal_without_the_signs_is_not_blamed_on_the_server(hostile, capsys, monkeypatch):
    hostile.said["/api/projects"] = {"results": [{"slug": "p", "role": "admin", "name": "Größe"}], "next": None}
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    code, err = run(capsys, "projects")
    assert (code, "Set PYTHONIOENCODING" in err, "server" in err) == (1, True, False), err


def test_a_push_that_the_server_does_not_list_ends_in_a_sentence(hostile, capsys):
    hostile.said |= {"/api/releases/1/push": {"id": 5}, "/api/releases/1": {"id": 1, "pushes": []}}
    code, err = run(capsys, "releases", "push", 1, "hub")
    assert (code, "without the push 5" in err) == (4, True), err


def test_rows_that_are_none_are_damaged(hostile):
    rows = b'{"problem": \n'
    offered(hostile, export_of(rows), rows)
    with pytest.raises(Damaged, match="rows cannot be read"):
        Stepmark().project("p").labels()


@pytest.mark.parametrize("kept", ["", "[1]", '{"url": "http://x"}', "null"])
def test_a_login_file_that_is_none_is_not_blamed_on_the_server(tmp_path, monkeypatch, capsys, kept):
    file = tmp_path / "login.json"
    file.touch(mode=0o600)
    file.write_text(kept)
    monkeypatch.setenv("STEPMARK_CONFIG", str(file))
    code, err = run(capsys, "whoami")
    assert (code, "login.json is not a file that `stepmark login` wrote" in err) == (4, True), err


def test_a_finished_export_without_a_hash_is_not_written_unchecked(hostile, tmp_path, capsys):
    command = offered(hostile, export_of(b"data", sha256=""), b"data")
    code, err = run(capsys, *command, tmp_path / "rows")
    assert (code, "with '' as sha256, which is not a SHA-256" in err) == (4, True), err
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_was_asked_about_too_early_is_held_to_the_hash_that_it_has_now(hostile, tmp_path):
    early: Any = export_of(b"", status="queued", sha256="")
    offered(hostile, early, b"other")
    project = Stepmark().project("p")
    with pytest.raises(StepmarkError, match="Export 1 has no file: it is queued"):
        project.download(early, tmp_path / "rows")
    offered(hostile, export_of(b"other", sha256=sha256(b"these")), b"other")
    with pytest.raises(Damaged):
        project.download(early, tmp_path / "rows")
    offered(hostile, export_of(b"these"), b"these")
    assert project.download(early, tmp_path / "rows").read_bytes() == b"these"


def test_an_answer_of_too_many_values_is_not_made(hostile, capsys):
    hostile.said["/api/session"] = b"[" + b"[]," * 10_000_000 + b"[]]"
    code, err = run(capsys, "whoami")
    assert (code, "/api/session answered with more than 8,000,000 values" in err) == (4, True), err


def test_signs_within_the_texts_of_an_answer_are_no_values(hostile):
    text = 'a, [b], {c} \\ "' * 1_050_000
    hostile.said["/api/traces/1"] = {"steps": [text, text], "labels": []}
    assert Stepmark().call("GET", "/api/traces/1")["steps"] == [text, text]
