"""Requests that are tried again when the server says so, and refusals in its own words."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from stepmark.config import Login
from stepmark.errors import NotAPath, NotReachable, Refused

BUSY = (429, 503)
LONGEST_PAUSE = 60.0  # seconds, unless the server asks for more
Json = Any


class Http:
    """A server and who asks. What is busy (429, 503) is asked again after its Retry-After, for `patience` seconds."""

    def __init__(
        self,
        login: Login,
        *,
        timeout: float = 60.0,
        patience: float = 300.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.url, self.patience, self.sleep = login.url, patience, sleep
        headers = {"Authorization": f"Bearer {login.token}", "Accept": "application/json", "User-Agent": "stepmark"}
        self._client = httpx.Client(base_url=login.url, headers=headers, timeout=timeout)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def call(self, method: str, path: str, body: Json = None, **options: Any) -> Json:
        """The JSON answer. Raises NotAPath, Refused, NotReachable."""
        _require_own(path)
        if body is not None:
            options["json"] = body
        return _read_json(self._answered(lambda: self._client.request(method, path, **options), method, options))

    @contextmanager
    def stream(self, path: str, *, start: int = 0, tag: str = "") -> Iterator[httpx.Response]:
        """A file's answer, to be read in pieces. Raises NotAPath, Refused, NotReachable.

        From the byte `start` on (then the status is 206) if the file is still the one with this ETag.
        """
        _require_own(path)
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}  # bytes are counted as the server keeps them
        if start:
            headers |= {"Range": f"bytes={start}-", "If-Range": f'"{tag}"'}
        request = self._client.build_request("GET", path, headers=headers)
        answer = self._answered(lambda: self._client.send(request, stream=True), "GET", {})
        try:
            yield answer
        except (httpx.TransportError, httpx.DecodingError) as lost:
            raise NotReachable(f"{self.url} broke off in the middle: {lost}") from lost
        finally:
            answer.close()

    def _answered(self, send: Callable[[], httpx.Response], method: str, options: dict[str, Any]) -> httpx.Response:
        deadline, tries = time.monotonic() + self.patience, 0
        while True:
            tries += 1
            pause = min(LONGEST_PAUSE, 2.0**tries / 4) * random.uniform(0.8, 1.2)
            try:
                answer = send()
            except httpx.TransportError as lost:
                if not _may_be_sent_again(method, lost) or time.monotonic() + pause > deadline:
                    raise NotReachable(f"{self.url} does not answer: {lost or type(lost).__name__}") from lost
            except httpx.DecodingError as fault:
                raise NotReachable(f"{self.url} sent what cannot be unpacked: {fault}") from fault
            else:
                if answer.is_success:
                    return answer
                pause = _asked_pause(answer, pause)
                if answer.status_code not in BUSY or time.monotonic() + pause > deadline:
                    raise _refusal(answer)
                answer.close()
            self.sleep(pause)
            _rewind(options)


def _require_own(path: str) -> None:
    if not path.startswith("/") or path.startswith("//"):
        raise NotAPath(f"{path} is no path of the server. Write it as /api/projects.")


def _read_json(answer: httpx.Response) -> Json:
    try:
        return answer.json()
    except (
        ValueError,
        RecursionError,
    ) as fault:  # a proxy's sign-in page, bytes that are no text, lists without an end
        raise NotReachable(
            f"{answer.url} answered {answer.status_code} with something other than JSON. Is it the address of Stepmark?"
        ) from fault


def _may_be_sent_again(method: str, lost: httpx.TransportError) -> bool:
    """A question may; a write only where it surely never arrived."""
    return method == "GET" or isinstance(lost, httpx.ConnectError | httpx.ConnectTimeout)


def _asked_pause(answer: httpx.Response, pause: float) -> float:
    said = answer.headers.get("Retry-After", "")
    return max(0.05, float(said)) if said.isdecimal() else pause


def _refusal(answer: httpx.Response) -> Refused:
    answer.read()
    try:
        said = answer.json()
    except (ValueError, RecursionError):
        said = {}
    answer.close()
    where = {"detail": f"{answer.url} answered {answer.status_code} without a reason. Is it the address of Stepmark?"}
    return Refused(answer.status_code, said if isinstance(said, dict) and said.get("detail") else where)


def _rewind(options: dict[str, Any]) -> None:
    for _name, file in (options.get("files") or {}).values():
        file.seek(0)
