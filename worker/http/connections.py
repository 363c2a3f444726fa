"""One process's connections to one server: kept open for the next request, cut off when the work is to stop."""

import logging
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from weakref import WeakSet

import httpx

from worker.http.errors import StoppedError

# httpx logs every address, and a webhook's address may be a secret; httpcore logs headers; stamina logs a bare word.
for _name in ("httpx", "httpcore", "stamina"):
    logging.getLogger(_name).setLevel(logging.ERROR)

# Seconds an idle connection is kept. Uvicorn, behind which vLLM and SGLang stand, closes one after 5: with less we are
# first, and no request meets a connection that is just being closed.
KEPT = 4.0
HEADERS = {"User-Agent": "Stepmark", "Accept": "*/*", "Accept-Encoding": "identity"}


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
        self._free, self._made = [self._new_client()], 1
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._changed = threading.Condition()

    @contextmanager
    def post(
        self, url: str, body: bytes, headers: Mapping[str, str], extensions: Mapping[str, Any] | None = None
    ) -> Iterator[httpx.Response]:
        """The answer, its body not yet read. Raises httpx's errors, and StoppedError after `abort`.

        A connection whose answer was read to the end serves the next request.
        """
        client = self._take()
        about = {**(extensions or {}), "trace": self._note_socket}
        try:
            with client.stream("POST", url, content=body, headers=dict(headers), extensions=about) as response:
                yield response
        finally:
            self._give_back(client)

    def abort(self) -> None:
        """From any thread: whatever is being waited for ends now, and nothing new begins."""
        with self._changed:
            self.aborted = True
            idle, self._free = self._free, []
            self._changed.notify_all()
            opened = list(self._sockets)
        for client in idle:
            client.close()
        for one in opened:
            shut_down(one)

    def _new_client(self) -> httpx.Client:
        """One connection, once it is needed."""
        return httpx.Client(
            headers=HEADERS,
            verify=self._tls,
            trust_env=self._proxies,
            timeout=self._timeout,
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=KEPT),
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # no answer says anything to the next request
        )

    def _take(self) -> httpx.Client:
        """The one that was used last, so that those nobody needs fall idle. Raises StoppedError."""
        with self._changed:
            self._changed.wait_for(lambda: self.aborted or self._free or self._made < self._size)
            if self.aborted:
                raise StoppedError
            if not self._free:
                self._free.append(self._new_client())
                self._made += 1
            return self._free.pop()

    def _give_back(self, client: httpx.Client) -> None:
        with self._changed:
            if not self.aborted:
                self._free.append(client)
                self._changed.notify()
                return
        client.close()

    def _note_socket(self, event: str, about: Mapping[str, Any]) -> None:
        """Called by httpx at each step of a request. Once TLS has begun, the socket is another object."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
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
