"""Requests to sign-in providers over HTTP. Strangers can cause them, so a provider that hangs must cost little.

What a provider publishes about itself is remembered for some minutes. An address that did not answer is left alone for
a while and then asked by one request: until that has an answer, all others fail at once. A provider whose answer drips,
or never ends, counts as one that does not answer.

Workers ask other servers by `worker.http`, which web processes do not know: its connections stay open, retry and wait
for hours. Here a thread of the web waits, so all that matters is a deadline.
"""

import json
import logging
import socket
import ssl
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from threading import Lock, Timer
from typing import Any, Self

import httpx

from labeling.errors import ProviderFailed

logger = logging.getLogger(__name__)
PATIENCE = 5.0  # seconds for each request to a provider, from connecting to the answer's last byte
LARGEST = 2**20  # bytes of an answer: tokens, keys and discovery have a few thousand
REMEMBERED = 600.0  # seconds for which discovery and keys are not asked for again
PAUSE = 30.0  # seconds for which an address that did not answer is not asked again
# Faults that mean the answer refuses, or cannot be read.
REFUSALS = (httpx.HTTPStatusError, httpx.InvalidURL, ValueError, RecursionError, zlib.error)

_remembered: dict[str, tuple[float, dict[str, Any]]] = {}
_fetching: set[str] = set()
_silent: dict[str, float] = {}  # address -> time until which nobody asks it
_silence = Lock()


def ask(method: str, url: str, **about: Any) -> Any:
    """Return the JSON that the provider answers with. Raises ProviderFailed.

    A refusal may be due to a stranger's question, so the address may be asked again at once.
    """
    try:
        return _send(method, url, **about)
    except REFUSALS as fault:
        logger.warning("A sign-in provider refused at %s: %s", url, type(fault).__name__)
        raise ProviderFailed from fault


def fetch(url: str, *, anew: bool = False) -> dict[str, Any]:
    """Return what the provider publishes there, from memory if that is fresh; with `anew`, ask in any case.

    While one thread asks again, the others continue with what was known. Raises ProviderFailed.
    """
    at, found = _remembered.get(url, (0.0, {}))
    if found and not anew and (time.monotonic() - at < REMEMBERED or url in _fetching):
        return found
    _fetching.add(url)
    try:
        said = _send("GET", url)
    except REFUSALS as fault:
        _note_silence(url, fault)  # the question contained nothing that a stranger wrote
        raise ProviderFailed from fault
    finally:
        _fetching.discard(url)
    if not isinstance(said, dict):
        raise ProviderFailed
    _remembered[url] = (time.monotonic(), said)
    return said


class EndlessError(Exception):
    """The answer was too slow or too large; the message says which."""


class Deadline:
    """Ends the connections of a request after so many seconds, however busy they are: httpx starts its own timeout anew
    with each piece it reads. Must be the outermost `with` of the request, and be told of its steps (`note`).
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._over, self._opened = seconds, False, list[socket.socket]()
        self._timer = Timer(seconds, self._end)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_about: object) -> None:
        """Raise EndlessError if time ran out, whatever the request's result: one that was cut off may look complete."""
        self._timer.cancel()
        if self._over:
            raise EndlessError(f"it did not finish within {self._seconds:g} s")

    def note(self, event: str, about: Mapping[str, Any]) -> None:
        """Called by httpx. Once TLS has begun, the socket is a different object."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._opened.append(about["return_value"].get_extra_info("socket"))
            if self._over:
                self._end()

    def _end(self) -> None:
        self._over = True
        for one in list(self._opened):
            with suppress(OSError):  # it had already ended
                socket.socket.shutdown(one, socket.SHUT_RDWR)  # SSLSocket's own would remove TLS under the reader


def _send(method: str, url: str, **about: Any) -> Any:
    _leave_alone(url)
    try:
        said = _said(method, url, **about)
    except (httpx.RequestError, EndlessError) as fault:
        _note_silence(url, fault)
        raise ProviderFailed from fault
    except REFUSALS:
        _silent.pop(url, None)
        raise
    _silent.pop(url, None)
    return said


def _said(method: str, url: str, **about: Any) -> Any:
    """Return the answer's JSON. Raises httpx's errors, EndlessError, and the others in REFUSALS."""
    deadline = Deadline(PATIENCE)
    about |= {"headers": {"Accept-Encoding": "identity", **about.get("headers", {})}}
    client = httpx.Client(timeout=PATIENCE, verify=_tls())
    with deadline, client, client.stream(method, url, extensions={"trace": deadline.note}, **about) as answered:
        answered.raise_for_status()
        raw = bytearray()
        for piece in answered.iter_raw():
            raw += piece
            _require_few(raw)
        return json.loads(_unpacked(bytes(raw), answered.headers.get("Content-Encoding", "identity").lower()))


def _unpacked(raw: bytes, how: str) -> bytes:
    """Return the answer unpacked. Compression was not asked for, but some servers compress every answer."""
    if how == "identity":
        return raw
    if how != "gzip":
        raise ValueError(f"packed with {how[:40]}")
    text = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(raw, LARGEST + 1)
    _require_few(text)
    return text


def _require_few(text: bytes | bytearray) -> None:
    """Raise EndlessError if the answer is too large."""
    if len(text) > LARGEST:
        raise EndlessError(f"it answered with more than {LARGEST} bytes")


def _leave_alone(url: str) -> None:
    """Raise ProviderFailed while the address is left alone. The first request afterwards asks; others still fail."""
    with _silence:
        until, now = _silent.get(url), time.monotonic()
        if until is None:
            return
        if now < until:
            raise ProviderFailed
        _silent[url] = now + 2 * PATIENCE  # to connect, and to read


def _note_silence(url: str, fault: Exception) -> None:
    _silent[url] = time.monotonic() + PAUSE
    logger.warning("A sign-in provider does not answer at %s (%s): not asked for %d s", url, fault, PAUSE)


@cache
def _tls() -> ssl.SSLContext:
    """Return the certificates this process trusts. httpx reads them again for each request, its most expensive part."""
    return httpx.create_ssl_context()
