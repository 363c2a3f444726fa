"""Asking sign-in providers over HTTP. Strangers can cause these requests, so a provider that hangs must cost little.

What a provider said of itself is remembered for some minutes. An address that did not answer is left alone for a while,
and is then asked by one request: until that has an answer, all others are told at once that there is none.
"""

import logging
import ssl
import time
from functools import cache
from threading import Lock
from typing import Any

import httpx

from labeling.errors import ProviderFailed

logger = logging.getLogger(__name__)
PATIENCE = 5.0  # seconds for each request to a provider
REMEMBERED = 600.0  # seconds for which discovery and keys are not asked for again
PAUSE = 30.0  # seconds for which an address that did not answer is not asked again

_remembered: dict[str, tuple[float, dict[str, Any]]] = {}
_fetching: set[str] = set()
_silent: dict[str, float] = {}  # address -> until when nobody asks it
_silence = Lock()


def ask(method: str, url: str, **about: Any) -> Any:
    """The JSON that the provider answers with. Raises ProviderFailed.

    Where it refuses, a stranger's question may have led to that: it may be asked again at once.
    """
    try:
        return _send(method, url, **about)
    except (httpx.HTTPStatusError, ValueError) as fault:
        logger.warning("A sign-in provider refused at %s: %s", url, type(fault).__name__)
        raise ProviderFailed from fault


def fetch(url: str, *, anew: bool = False) -> dict[str, Any]:
    """What the provider publishes there, from memory where that is fresh; `anew`: whatever is remembered.

    While one thread asks again, the others go on with what was known. Raises ProviderFailed.
    """
    at, found = _remembered.get(url, (0.0, {}))
    if found and not anew and (time.monotonic() - at < REMEMBERED or url in _fetching):
        return found
    _fetching.add(url)
    try:
        said = _send("GET", url)
    except (httpx.HTTPStatusError, ValueError) as fault:
        _note_silence(url, fault)  # nothing that a stranger wrote stood in the question
        raise ProviderFailed from fault
    finally:
        _fetching.discard(url)
    if not isinstance(said, dict):
        raise ProviderFailed
    _remembered[url] = (time.monotonic(), said)
    return said


def _send(method: str, url: str, **about: Any) -> Any:
    _leave_alone(url)
    try:
        answered = httpx.request(method, url, timeout=PATIENCE, verify=_tls(), **about)
    except httpx.RequestError as fault:
        _note_silence(url, fault)
        raise ProviderFailed from fault
    _silent.pop(url, None)
    return answered.raise_for_status().json()


def _leave_alone(url: str) -> None:
    """Raises ProviderFailed while it is; who comes first afterwards asks, and nobody else meanwhile."""
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
    """The certificates that this process believes. httpx reads them anew for each request: its dearest part."""
    return httpx.create_ssl_context()
