"""People at a running site over HTTP: each has a session, and each thread has one persistent connection.

In one project people take turns, one request at a time, so that the same seed serves the same tasks to the same people
and the figures are reproducible. Projects may run concurrently.
"""

import http.client
import json
import threading
import time
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from bench.simulated_labelers import Truth

Json = dict[str, Any]
IMPORT_SECONDS = 120.0


class Refused(RuntimeError):
    """A response that is not 2xx."""


class Line(threading.local):
    """A thread's connection, shared by all people in that thread."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, Any, bytes]:
        """Return status, headers and body; retry once on a new connection if the server closed the old one."""
        try:
            return self._ask(method, path, body, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.connection.close()
            return self._ask(method, path, body, headers)

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, Any, bytes]:
        self.connection.request(method, path, body, {"Host": "localhost", **headers})
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()


class Visitor:
    """Someone who logs in with a name and a password, as in a browser."""

    def __init__(self, line: Line, username: str, password: str) -> None:
        self.line = line
        self.cookies: dict[str, str] = {}
        self.call("GET", "/api/session")
        self.call("POST", "/api/session/login", {"username": username, "password": password})

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON response; if the site says that it is too soon, wait as long as it asks. Raises Refused."""
        return self._send(method, path, None if body is None else json.dumps(body).encode(), "application/json")

    def read(self, path: str) -> str:
        """Download a file from the site."""
        return self._ask("GET", path, None, "").decode()

    def upload(self, path: str, rows: Iterable[Json], **fields: str) -> Any:
        """Send rows as a file of JSON lines, along with form fields."""
        mark = uuid4().hex
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        ]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        parts.append(
            f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="traces.jsonl"\r\n'
            f"Content-Type: application/octet-stream\r\n\r\n{lines}\r\n--{mark}--\r\n"
        )
        return self._send("POST", path, "".join(parts).encode(), f"multipart/form-data; boundary={mark}")

    def _send(self, method: str, path: str, body: bytes | None, kind: str) -> Any:
        answer = self._ask(method, path, body, kind)
        return json.loads(answer) if answer else None

    def _ask(self, method: str, path: str, body: bytes | None, kind: str) -> bytes:
        while True:
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
            if body is not None or method != "GET":
                headers |= {"Content-Type": kind, "X-CSRFToken": self.cookies.get("csrftoken", "")}
            status, said, answer = self.line.ask(method, path, body, headers)
            for cookie in said.get_all("Set-Cookie") or []:
                name, _, value = cookie.split(";", 1)[0].partition("=")
                self.cookies[name] = value
            if status == 429:
                time.sleep(float(said["Retry-After"]))
            elif status < 300:
                return answer
            else:
                raise Refused(f"{method} {path}: {status} {answer[:400].decode(errors='replace')}")


class Admin(Visitor):
    """Someone who makes projects, imports traces and gold, opens and closes rounds, and reads the figures."""

    def make_project(self, slug: str, **settings: Any) -> None:
        """Create a project with these settings."""
        self.call("POST", "/api/projects", {"slug": slug, "name": slug})
        self.call("PATCH", f"/api/projects/{slug}", settings)

    def bring(self, slug: str, rows: Iterable[Json], *, as_gold: bool = False) -> Json:
        """Import rows and wait until it is done. Raises RuntimeError unless the import succeeds."""
        job = self.upload(f"/api/projects/{slug}/imports", rows, as_gold=str(as_gold).lower())
        end = time.monotonic() + IMPORT_SECONDS
        while job["status"] in ("queued", "running"):
            if time.monotonic() > end:
                raise RuntimeError("The import did not end.")
            time.sleep(0.2)
            job = self.call("GET", f"/api/imports/{job['id']}")
        if job["status"] != "succeeded":
            raise RuntimeError(f"The import ended in {job['status']}: {job['error'] or job['report']}")
        return dict(job["report"])

    def open_round(self, slug: str, **settings: Any) -> int:
        """Put traces on the queue; return the round's id."""
        return int(self.call("POST", f"/api/projects/{slug}/rounds", settings)["id"])

    def close_round(self, round_id: int) -> None:
        """Close a round."""
        self.call("POST", f"/api/rounds/{round_id}/close")


def truth_of(row: Json) -> Truth:
    """Return the truth about a trace from its row of the shared data."""
    return Truth("\n".join(row["steps"]), len(row["steps"]), row["first_error"])
