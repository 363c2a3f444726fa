"""One request in the form that Django's WSGI handler takes, and its answer. A slow reader holds no thread."""

import sys
from collections.abc import Callable, Iterable
from io import BytesIO, FileIO
from pathlib import Path
from typing import Any

from annotation_app.server.bodies import Body

Headers = list[tuple[str, str]]
Django = Callable[..., Any]  # (environ, start_response) -> the parts of its answer
UNPREFIXED = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


class SentFile:
    """Django's wrapper for an answer that is a file. The web server sends it itself, outside our threads."""

    def __init__(self, file: Any, block_size: int = 8192) -> None:
        self.file = file
        self.block_size = block_size

    def __iter__(self) -> Iterable[bytes]:
        return iter(lambda: self.file.read(self.block_size), b"")

    @property
    def path(self) -> str | None:
        """The file's path, if the answer is a file on disk from beginning to end."""
        raw = getattr(self.file, "raw", None)
        name = getattr(raw, "name", None)
        whole = isinstance(raw, FileIO) and isinstance(name, str | Path) and self.file.tell() == 0
        return str(name) if whole else None

    def close(self) -> None:
        """Close the file. Called when the answer is on its way."""
        self.file.close()


ALWAYS: dict[str, Any] = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.file_wrapper": SentFile,
}


def environ_of(scope: Any) -> dict[str, Any]:
    """Return the request's head as a WSGI environ with an empty body."""
    server, _, port = scope.server.rpartition(":")
    environ = {
        **ALWAYS,
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": BytesIO(),
    }
    for name, value in scope.headers.items():
        add_header(environ, name, value)
    return environ


def add_header(environ: dict[str, Any], name: str, value: str) -> None:
    """Add a header; a repeated one becomes a list. `X_Forwarded_For` must not pass for a proxy's hyphenated one."""
    if "_" in name:
        return
    key = UNPREFIXED.get(name) or f"HTTP_{name.upper().replace('-', '_')}"
    before = environ.get(key)
    environ[key] = value if before is None else f"{before}{'; ' if name == 'cookie' else ','}{value}"


def answer(django: Django, environ: dict[str, Any], body: Body) -> None:
    """Let Django answer in the calling thread. The web server's end is reached only through the body.

    Code that keeps an exception also keeps the frames of its thread, this one included, and all that their names refer
    to. A connection named here would stay open as long.
    """
    head: list[Any] = []

    def start_response(status: str, headers: Headers, exc_info: Any = None) -> None:
        head[:] = [int(status[:3]), headers]

    result = django(environ, start_response)
    try:
        send(body, head[0], head[1], result)
    finally:
        close = getattr(result, "close", None)
        if close is not None:
            close()


def send(body: Body, status: int, headers: Headers, result: Iterable[bytes]) -> None:
    """Hand the answer to the web server, which sends it at the reader's pace."""
    path = result.path if isinstance(result, SentFile) else None
    if path is not None:
        body.proto.response_file(status, headers, path)
    else:
        body.proto.response_bytes(status, headers, b"".join(result))
