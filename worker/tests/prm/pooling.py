"""A real HTTP server that speaks the JSON of vLLM's pooling, SGLang's classify and OpenAI's chat, using our own
scorer.

It can be told to misbehave, as a busy or wrong server does.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Any, dict[str, str]]


class PoolingServer(ThreadingHTTPServer):
    """The server. `answer` maps (path, body) to JSON; `troubles` are replies given first, where None hangs up."""

    daemon_threads = True

    def __init__(self, answer: Callable[[str, dict[str, Any]], Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.troubles: deque[Reply | None] = deque()
        self.delay = 0.0
        self.key: str | None = None
        self.lock = threading.Lock()
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.times: list[float] = []
        self.now = self.most_at_once = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """The handler of one request."""

    server: PoolingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.requests.append((self.path, body))
            server.times.append(time.monotonic())
            server.now += 1
            server.most_at_once = max(server.most_at_once, server.now)
            trouble: Reply | None | str = server.troubles.popleft() if server.troubles else "none"
        try:
            time.sleep(server.delay)
            reply = self.reply_to(trouble, body)
        finally:
            with server.lock:  # before the reply leaves: its client may send again at once
                server.now -= 1
        if reply is None:
            self.connection.close()
        else:
            self.send(*reply)

    def reply_to(self, trouble: Reply | None | str, body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]] | None:
        """Return status, body and headers. None: hang up."""
        server = self.server
        if trouble is None:
            return None
        if server.key is not None and self.headers["Authorization"] != f"Bearer {server.key}":
            trouble = (401, {"error": "wrong key"}, {})
        status, answer, headers = trouble if isinstance(trouble, tuple) else (200, server.answer(self.path, body), {})
        if isinstance(answer, ValueError):
            status, answer = 400, {"error": str(answer)}
        return status, answer if isinstance(answer, bytes) else json.dumps(answer).encode(), headers

    def send(self, status: int, raw: bytes, headers: dict[str, str]) -> None:
        """Send the reply."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(raw)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing."""


@contextmanager
def running(answer: Callable[[str, dict[str, Any]], Any]) -> Iterator[PoolingServer]:
    """Run the server until the block ends."""
    with PoolingServer(answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
