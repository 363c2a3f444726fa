"""One process's connections to one server: kept open for the next request, closed when the work has to stop."""

import logging
import math
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from weakref import WeakSet

import httpx

from worker.http.errors import StoppedError, TooSlowError

# httpx logs every address, and a webhook's address may be a secret; httpcore logs headers; stamina logs a bare word.
for _name in ("httpx", "httpcore", "stamina"):
    logging.getLogger(_name).setLevel(logging.ERROR)

# Seconds an idle connection is kept. Uvicorn, which serves vLLM and SGLang, closes one after 5: with a shorter time, we
# close first, and no request meets a connection that is just being closed.
KEPT = 4.0
HEADERS = {"User-Agent": "Stepmark", "Accept": "*/*", "Accept-Encoding": "identity"}


class Pace:
    """Deadlines for an answer that has begun. Bytes alone are not progress: a server may send a header's letters, or
    comments, one by one forever. The head has `head` seconds from its first byte. For the rest, the reader calls
    `within` to set the time for the next progress, and again after each.
    """

    def __init__(self, head: float = math.inf) -> None:
        self._head = head
        self.restart()

    def restart(self) -> None:
        """Forget the answer: nothing of it has arrived."""
        self._begun, self._due, self._otherwise = False, math.inf, ""

    def begin(self) -> None:
        """Note that something arrived."""
        if not self._begun:
            self._begun = True
            self.within(self._head, "its response headers did not finish within")

    def within(self, seconds: float, otherwise: str) -> None:
        """Set the deadline in seconds from now. `otherwise` says what was late, and ends where the seconds follow."""
        self._due, self._otherwise = time.monotonic() + seconds, f"{otherwise} {seconds:g} s"

    def left(self, early: float = 0.0) -> float:
        """Return the seconds left. Raises TooSlowError if there are none."""
        left = self._due - time.monotonic()
        if left <= early:
            raise TooSlowError(self._otherwise)
        return left


class Connection:
    """An httpx client with a single connection, and the pace that its answer must keep."""

    def __init__(self, client: httpx.Client) -> None:
        self.client, self.pace = client, Pace()

    def hold(self, stream: Any) -> None:
        """Limit each read of an httpcore stream to the time that the pace allows."""
        read = stream.read

        def read_in_time(max_bytes: int, timeout: float | None = None) -> bytes:
            left = self.pace.left()
            try:
                came: bytes = read(max_bytes, timeout if timeout is not None and timeout < left else finite(left))
            except Exception:
                self.pace.left(early=0.01)  # a socket's clock may run early
                raise
            self.pace.begin()
            return came

        stream.read = read_in_time
        self.pace.restart()  # what a proxy sent before is not part of the answer


def finite(seconds: float) -> float | None:
    """Return the seconds as sockets take them: None for no limit."""
    return None if seconds == math.inf else seconds


class Connections:
    """At most `size` connections at once; further requests wait. `connect` and `read` are seconds of silence.

    `tls` says which certificates are trusted, by default those that this machine trusts. With `proxies`, those of the
    environment (HTTPS_PROXY, NO_PROXY) are used. It is made and used in one process: a fork must not share it.

    Each connection is a client of its own. A client shared by threads may close a connection that another thread has
    just begun to use, because an answer that arrives at once looks like a server's goodbye (httpcore 1.0, has_expired).
    """

    def __init__(
        self, *, size: int, connect: float, read: float, proxies: bool, tls: ssl.SSLContext | None = None
    ) -> None:
        self.aborted = False
        self._size, self._proxies, self._tls = size, proxies, tls or ssl.create_default_context()
        self._timeout = httpx.Timeout(read, connect=connect)
        self._free, self._made = [self._new_connection()], 1
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._changed = threading.Condition()

    @contextmanager
    def post(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        extensions: Mapping[str, Any] | None = None,
        pace: Pace | None = None,
    ) -> Iterator[httpx.Response]:
        """Yield the answer, with its body not yet read. Raises httpx's errors, TooSlowError if it does not keep the
        `pace`, and StoppedError after `abort`.

        A connection whose answer was read to the end serves the next request.
        """
        taken = self._take()
        taken.pace = pace or Pace()
        about = {**(extensions or {}), "trace": partial(self._note_socket, taken)}
        try:
            with taken.client.stream("POST", url, content=body, headers=dict(headers), extensions=about) as response:
                yield response
        finally:
            self._give_back(taken)

    def abort(self) -> None:
        """End whatever is being waited for; nothing new begins. May be called from any thread."""
        with self._changed:
            self.aborted = True
            idle, self._free = self._free, []
            self._changed.notify_all()
            opened = list(self._sockets)
        for connection in idle:
            connection.client.close()
        for one in opened:
            shut_down(one)

    def _new_connection(self) -> Connection:
        """Return a new connection, which opens on first use."""
        client = httpx.Client(
            headers=HEADERS,
            verify=self._tls,
            trust_env=self._proxies,
            timeout=self._timeout,
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=KEPT),
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # no answer influences the next request
        )
        return Connection(client)

    def _take(self) -> Connection:
        """Return the connection used last, so that unneeded ones become idle. Raises StoppedError."""
        with self._changed:
            self._changed.wait_for(lambda: self.aborted or self._free or self._made < self._size)
            if self.aborted:
                raise StoppedError
            if not self._free:
                self._free.append(self._new_connection())
                self._made += 1
            return self._free.pop()

    def _give_back(self, connection: Connection) -> None:
        with self._changed:
            if not self.aborted:
                self._free.append(connection)
                self._changed.notify()
                return
        connection.client.close()

    def _note_socket(self, connection: Connection, event: str, about: Mapping[str, Any]) -> None:
        """Note the socket; httpx calls this at each step of a request. Once TLS has begun, it is another object."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            connection.hold(about["return_value"])
            opened = about["return_value"].get_extra_info("socket")
            with self._changed:
                self._sockets.add(opened)
                aborted = self.aborted
            if aborted:
                shut_down(opened)


def shut_down(opened: socket.socket) -> None:
    """Shut a connection down while a thread waits for it. Closing it is left to that thread: the number of a closed
    socket is soon reused. This bypasses SSLSocket's own method, which would pull the session from under that thread.
    """
    with suppress(OSError):  # it had already ended
        socket.socket.shutdown(opened, socket.SHUT_RDWR)
