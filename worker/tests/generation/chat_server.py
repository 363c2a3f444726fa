"""A real HTTP server that speaks OpenAI's chat JSON, whole and streamed, and can be told to misbehave."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Write = Callable[[str, int], tuple[str, str]]  # (prompt, seed) -> (text, finish reason)


class Trouble(NamedTuple):
    """A reply instead of an answer. With `cut`, only the first `cut` bytes of a good answer are sent."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    cut: int | None = None
    hang_up: bool = False


class ChatServer(ThreadingHTTPServer):
    """The server. `most`: how many choices it allows in one request (0: it ignores `n` and always returns one)."""

    daemon_threads = True

    def __init__(self, write: Write, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.write = write
        self.troubles: deque[Trouble] = deque()
        self.most = 128
        self.delay = 0.0
        self.lock = threading.Lock()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.now = self.most_at_once = 0

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing: clients of these tests are killed in the middle of an answer."""

    @property
    def url(self) -> str:
        """The address as an operator configures it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def seeds(self) -> list[int]:
        """The seed of every requested sample, in order."""
        return [body["seed"] + place for body in self.bodies for place in range(body["n"])]


class Handler(BaseHTTPRequestHandler):
    """The handler of one request."""

    server: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.bodies.append(body)
            server.headers.append(dict(self.headers))
            server.times.append(time.monotonic())
            server.now += 1
            server.most_at_once = max(server.most_at_once, server.now)
            trouble = server.troubles.popleft() if server.troubles else None
        try:
            time.sleep(server.delay)
        finally:
            with server.lock:  # before the reply leaves: its client may send again at once
                server.now -= 1
        if trouble is not None and trouble.hang_up:
            self.connection.close()
        elif trouble is not None and trouble.cut is None:
            self.reply(trouble.status, trouble.body, dict(trouble.headers))
        else:
            self.answer(body, None if trouble is None else trouble.cut)

    def answer(self, body: dict[str, Any], cut: int | None) -> None:
        """Send a good answer, or the first bytes of one."""
        if self.path != "/v1/chat/completions":
            return self.reply(404, b'{"error": {"message": "no such path"}}')
        if self.server.most and body["n"] > self.server.most:
            message = f"Field 'n': Value must be between 1 and {self.server.most}"
            return self.reply(400, json.dumps({"error": {"code": 400, "message": message}}).encode())
        prompt = body["messages"][-1]["content"]
        written = [self.server.write(prompt, body["seed"] + place) for place in range(body["n"])]
        if any(end == "refuse" for _, end in written):
            return self.reply(400, b'{"error": {"message": "the prompt is too long"}}')
        written = written[: self.server.most or 1]
        raw = streamed(written) if body["stream"] else whole(written)
        kind = "text/event-stream" if body["stream"] else "application/json"
        return self.reply(200, raw, {"Content-Type": kind}, cut)

    def reply(self, status: int, raw: bytes, headers: dict[str, str] | None = None, cut: int | None = None) -> None:
        """Send the reply. If cut, it promises more bytes than it sends."""
        self.send_response(status)
        length = {"Content-Length": str(len(raw))}
        for name, value in {"Content-Type": "application/json", **length, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw[:cut])

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing."""


def whole(written: list[tuple[str, str]]) -> bytes:
    """Return a chat.completion."""
    choices = [
        {"index": place, "message": {"role": "assistant", "content": text}, "finish_reason": end}
        for place, (text, end) in enumerate(written)
    ]
    return json.dumps({"object": "chat.completion", "choices": choices}).encode()


def streamed(written: list[tuple[str, str]]) -> bytes:
    """Return the same as events: the choices in turn, a few characters at a time, after a keep-alive comment."""
    pieces: list[dict[str, Any]] = [{"index": place, "delta": {"role": "assistant"}} for place in range(len(written))]
    longest = max(len(text) for text, _ in written)
    for at in range(0, longest, 7):
        for place, (text, _) in enumerate(written):
            if at < len(text):
                pieces.append({"index": place, "delta": {"content": text[at : at + 7]}, "finish_reason": None})
    pieces += [{"index": place, "delta": {}, "finish_reason": end} for place, (_, end) in enumerate(written)]
    events = [f"data: {json.dumps({'choices': [piece]})}\n\n" for piece in pieces]
    usage = 'data: {"choices": [], "usage": {"total_tokens": 1}}\n\n'
    return "".join([": processing\n\n", *events, usage, "data: [DONE]\n\n"]).encode()


@contextmanager
def running(write: Write, port: int = 0) -> Iterator[ChatServer]:
    """Run the server until the block ends."""
    with ChatServer(write, port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
