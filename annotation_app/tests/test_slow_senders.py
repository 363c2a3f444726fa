"""Slow senders and slow readers delay only themselves: the real web server still answers everybody else."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import BinaryIO

import httpx
import pytest

from annotation_app.tests.web_server import web_server
from labeling.actions.api_tokens import create_token
from labeling.tests.factories import make_member, make_project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
SOCKETS = 40  # several times the number of the server's threads
FORM = "Content-Type: multipart/form-data; boundary=x\r\n"
PART = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'


@pytest.fixture
def page_folder(tmp_path: Path) -> Path:
    """A page whose one file is large."""
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "assets" / "large.js").write_bytes(b"/" * 2**24)
    return folder


def begin(url: str, path: str, head: str = "", body: str = "", method: str = "POST") -> socket.socket:
    """Return a request whose body is declared as 100,000 bytes, but only `body` is sent."""
    host, _, port = url.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)), 30)
    length = "Content-Length: 100000\r\n" if method == "POST" else ""
    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{length}{head}\r\n{body}".encode())
    return connection


@contextmanager
def dripping(connections: list[socket.socket]) -> Iterator[None]:
    """Send each connection a byte ten times a second during the block, until the server closes it."""
    stop = Event()

    def drip() -> None:
        while not stop.wait(0.1):
            for connection in connections:
                try:
                    connection.send(b"a")
                except OSError:
                    continue

    thread = Thread(target=drip)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def others_are_served(url: str, token: str, slug: str) -> None:
    """Make health checks, load the page, log in, claim and import, each over its own connection."""
    for path in ("/healthz", "/readyz", "/api/session", "/admin/login/"):
        answer = httpx.get(f"{url}{path}", timeout=30)
        assert (answer.status_code, answer.headers["x-frame-options"]) == (200, "DENY"), path
    who = {"Authorization": f"Bearer {token}"}
    assert httpx.post(f"{url}/api/projects/{slug}/labels/claim", headers=who, json={}, timeout=30).status_code == 200
    sent = httpx.post(
        f"{url}/api/projects/{slug}/imports", headers=who, files={"file": b"{}"}, data={"format": "neutral"}, timeout=30
    )
    assert sent.status_code == 201, sent.text


def said_on(connection: socket.socket) -> str:
    """Return everything that the server sent before it closed the connection."""
    said = b""
    try:
        while some := connection.recv(65536):
            said += some
    except ConnectionResetError:  # the server closed it while we were still sending
        pass
    return said.decode()


def test_who_sends_or_reads_slowly_holds_nobody_up_and_is_cut_off(tmp_path: Path, page_folder: Path) -> None:
    project = make_project()
    researcher = make_member(project, "researcher")
    token = create_token(researcher, name="test")[1]
    form = f"{FORM}Authorization: Bearer {token}\r\n"
    claim, imports = (f"/api/projects/{project.slug}/{rest}" for rest in ("labels/claim", "imports"))
    with web_server(tmp_path, BODY_SECONDS="2", FRONTEND_DIR=str(page_folder)) as url, ExitStack() as stack:
        who = f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        cookie = f"Cookie: csrftoken={'a' * 32}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        silent = [("/admin/login/", cookie), ("/api/session/login", cookie), (claim, who), (imports, form)]
        senders = [begin(url, *silent[number % 4]) for number in range(SOCKETS)]
        storing = [begin(url, imports, form, PART + "a" * 70_000) for _ in range(8)]
        drips = [begin(url, *silent[number % 4]) for number in range(SOCKETS)]
        readers = [begin(url, "/assets/large.js", method="GET") for _ in range(SOCKETS)]
        for connection in (*senders, *storing, *drips, *readers):
            stack.callback(connection.close)
        with dripping(drips):
            others_are_served(url, token, project.slug)
            for connection in (*senders, *storing, *drips):
                said = said_on(connection)
                assert said.startswith("HTTP/1.1 408 ") or connection in drips, said
        others_are_served(url, token, project.slug)
    assert list((tmp_path / "data" / "uploads").iterdir()) == []  # nothing of the body that stopped arriving
    assert "Traceback" not in (tmp_path / "web.log").read_text()


def test_a_refused_request_leaves_its_connection_to_the_next(tmp_path: Path) -> None:
    """The body of a refused request is read before the response, so that none of it is parsed as the next request."""
    project = make_project()
    head = "Host: localhost\r\nContent-Type: application/json\r\n"
    body = json.dumps({"name": "a" * 70_000})
    refused = f"POST /api/projects/{project.slug}/rounds HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}"
    asked = f"GET /api/session HTTP/1.1\r\n{head}\r\n"
    with web_server(tmp_path) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), 30) as connection, connection.makefile("rb") as answers:
            for _ in range(50):
                connection.sendall(refused.encode())
                status, said = answered(answers)
                assert status in {401, 403}, said
                connection.sendall(asked.encode())
                status, said = answered(answers)
                assert status == 200, said


def answered(answers: BinaryIO) -> tuple[int, bytes]:
    """Return status and body of the next response."""
    status = int(answers.readline().split()[1])
    length = 0
    while line := answers.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return status, answers.read(length)
