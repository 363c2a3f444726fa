"""A real HTTP/1.1 server that keeps connections open, counts them, and answers as a test wants."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class CountingServer(ThreadingHTTPServer):
    """The server. `answer` gets each request once its body is read. `connections` counts accepted connections."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, answer: "Callable[[Handler], Any]", tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.scheme = "http" if tls is None else "https"
        self.answer = answer
        self.connections = self.closed = 0
        self.hung_up = threading.Event()
        self.lock = threading.Lock()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Count an accepted connection."""
        with self.lock:
            self.connections += 1
        super().process_request(request, client_address)

    def close_request(self, request: Any) -> None:
        """Count a closed connection."""
        super().close_request(request)
        with self.lock:
            self.closed += 1
        self.hung_up.set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing: clients of these tests hang up in the middle of an answer."""


class Handler(BaseHTTPRequestHandler):
    """The handler of one connection's requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: CountingServer

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.bodies.append(json.loads(raw))
            self.server.headers.append(dict(self.headers))
            self.server.paths.append(self.path)
        self.server.answer(self)

    def reply(self, status: int, raw: bytes, **headers: str) -> None:
        """Send a whole answer. The keyword `Retry_After` becomes the header Retry-After."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(raw)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)

    def begin_stream(self, kind: str = "text/event-stream") -> None:
        """Begin an answer whose length is not known yet."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send(self, raw: bytes) -> None:
        """Send the next piece of it. An empty piece ends it."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))

    def wait_for_hang_up(self) -> None:
        """Wait until the client has ended the connection."""
        self.rfile.read(1)
        self.close_connection = True

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing."""


@contextmanager
def running(answer: Callable[[Handler], Any], tls: ssl.SSLContext | None = None) -> Iterator[CountingServer]:
    """Run the server until the block ends."""
    with CountingServer(answer, tls) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
