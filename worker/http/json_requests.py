"""Requests with a JSON body to a service that stores what it is sent, retried while the service is busy."""

from collections.abc import Mapping
from typing import Any

import httpx
import stamina

PATIENCE = httpx.Timeout(30.0, connect=10.0)
ATTEMPTS = 5
BUSY = (408, 425, 429, 500, 502, 503, 504)


class BusyError(Exception):
    """No answer, or one that asks for a retry. The message says what arrived."""


class JsonRequests:
    """A service at one address, with its own headers; redirects are not followed. Use it from one thread."""

    def __init__(self, server: str, headers: Mapping[str, str]) -> None:
        """Prepare requests to `server`, an address without a slash at the end."""
        self.server = server
        about = {"User-Agent": "Stepmark", **headers}
        self._client = httpx.Client(timeout=PATIENCE, follow_redirects=False, headers=about)

    def ask(self, method: str, path: str, body: Mapping[str, Any]) -> httpx.Response:
        """Return the answer, whatever its status. Raises BusyError if there is none after several attempts."""
        for attempt in stamina.retry_context(
            on=BusyError, attempts=ATTEMPTS, wait_initial=0.2, wait_max=10.0, timeout=None
        ):
            with attempt:
                return self._once(method, path, body)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, method: str, path: str, body: Mapping[str, Any]) -> httpx.Response:
        try:
            answer = self._client.request(method, self.server + path, json=body)
        except httpx.TransportError as fault:
            raise BusyError(str(fault) or type(fault).__name__) from fault
        if answer.status_code in BUSY:
            raise BusyError(f"{answer.status_code} {answer.text[:300]}".strip())
        return answer
