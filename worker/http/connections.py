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

# Seconds an idle connection is kept. Uvicorn, behind which vLLM and SGLang stand, closes one after 5: with less we are
# first, and no request meets a connection that is just being closed.
KEPT = 4.0
HEADERS = {"User-Agent": "Stepmark", "Accept": "*/*", "Accept-Encoding": "identity"}


class Pace:
    """By when an answer that has begun must have got on. Bytes alone are no getting on: a server may send a header's
    letters, or comments, one by one for ever. The head has `head` seconds from its first byte; for what follows, who
    reads it says `within` which time it must go on, and again whenever it did.
    """

    def __init__(self, head: float = math.inf) -> None:
        self._head = head
        self.restart()

    def restart(self) -> None:
        """Nothing has come of the answer."""
        self._begun, self._due, self._otherwise = False, math.inf, ""

    def begin(self) -> None:
        """Something came."""
        if not self._begun:
            self._begun = True
            self.within(self._head, "its response headers did not finish within")

    def within(self, seconds: float, otherwise: str) -> None:
        """So many seconds from now; `otherwise` says what was late, and ends where they are named."""
        self._due, self._otherwise = time.monotonic() + seconds, f"{otherwise} {seconds:g} s"

    def left(self, early: float = 0.0) -> float:
        """Seconds. Raises TooSlowError where there are none."""
        left = self._due - time.monotonic()
        if left <= early:
            raise TooSlowError(self._otherwise)
        return left


class Connection:
    """A client of httpx that has one connection, and how an answer has to come on it."""

    def __init__(self, client: httpx.Client) -> None:
        self.client, self.pace = client, Pace()

    def hold(self, stream: Any) -> None:
        """Have no read of a stream of httpcore's wait longer than the pace allows."""
        read = stream.read

        def read_in_time(max_bytes: int, timeout: float | None = None) -> bytes:
            left = self.pace.left()
            try:
                came: bytes = read(max_bytes, timeout if timeout is not None and timeout < left else finite(left))
            except Exception:
                self.pace.left(early=0.01)  # a socket's clock may be
                raise
            self.pace.begin()
            return came

        stream.read = read_in_time
        self.pace.restart()  # what a proxy said before is no part of the answer


def finite(seconds: float) -> float | None:
    """As sockets take it."""
    return None if seconds == math.inf else seconds


class Connections:
    """At most `size` at once; further requests wait for one. `connect` and `read` are seconds of silence.

    `tls` says which certificates are believed, by default those that this machine believes. With `proxies` those of
    the environment (HTTPS_PROXY, NO_PROXY) are used. Made and used in one process: a fork has no part in it.

    Each connection is a client of its own. A client that threads share may close a connection that another thread has
    just begun to use, because an answer that comes at once looks like a server's goodbye (httpcore 1.0, has_expired).
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
        """The answer, its body not yet read. Raises httpx's errors, TooSlowError where it does not come at the `pace`,
        and StoppedError after `abort`.

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
        """From any thread: whatever is being waited for ends now, and nothing new begins."""
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
        """One, opened once it is needed."""
        client = httpx.Client(
            headers=HEADERS,
            verify=self._tls,
            trust_env=self._proxies,
            timeout=self._timeout,
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=KEPT),
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # no answer says anything to the next request
        )
        return Connection(client)

    def _take(self) -> Connection:
        """The one that was used last, so that those nobody needs fall idle. Raises StoppedError."""
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
        """Called by httpx at each step of a request. Once TLS has begun, the socket is another object."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            connection.hold(about["return_value"])
            opened = about["return_value"].get_extra_info("socket")
            with self._changed:
                self._sockets.add(opened)
                aborted = self.aborted
            if aborted:
                shut_down(opened)


def shut_down(opened: socket.socket) -> None:
    """End a connection under a thread that waits for it. Closing it is left to that thread: the number of a closed
    socket is soon another one's. Past SSLSocket's own method, which would pull the session from under that thread.
    """
    with suppress(OSError):  # it had ended already
        socket.socket.shutdown(opened, socket.SHUT_RDWR)
