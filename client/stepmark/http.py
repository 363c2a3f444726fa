"""Requests that are retried when the server asks for it, and refusals in the server's own words."""

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from stepmark.answers import MOST_VALUES, has_many_values
from stepmark.config import Login
from stepmark.errors import BrokeOff, NotAPath, NotLoggedIn, NotReachable, NotUnderstood, Refused

BUSY = (429, 503)
LONGEST_PAUSE = 60.0  # seconds, unless the server asks for more
# Bytes of JSON, unpacked. A trace has up to 64 MiB, and is sent with its labels; rows are sent as files.
LARGEST_ANSWER = 128 * 2**20
PACKED = ("", "identity", "gzip")  # accepted encodings; packed twice, a few bytes could fill the memory
Json = Any


class Http:
    """A server and a login. When busy (429, 503), it is asked again after its Retry-After, for `patience` seconds."""

    def __init__(
        self,
        login: Login,
        *,
        timeout: float = 60.0,
        patience: float = 300.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Prepare requests. Raises NotLoggedIn if the address or token is invalid."""
        _require_login(login)
        self.url, self.patience, self.sleep = login.url, patience, sleep
        headers = {"Authorization": f"Bearer {login.token}", "Accept": "application/json", "User-Agent": "stepmark"}
        headers["Accept-Encoding"] = "gzip"
        self._client = httpx.Client(base_url=login.url, headers=headers, timeout=timeout)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def call(self, method: str, path: str, body: Json = None, **options: Any) -> Json:
        """Return the JSON answer. Raises NotAPath, Refused, NotReachable, NotUnderstood."""
        _require_own(path)
        if body is not None:
            options["json"] = body

        def send() -> httpx.Response:
            return self._client.send(self._client.build_request(method, path, **options), stream=True)

        answer = self._answered(send, method, options, self._read)
        if has_many_values(answer.content):
            raise NotUnderstood(answer.url, f"with more than {MOST_VALUES:,} values")
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError) as fault:
            raise NotUnderstood(answer.url, f"{answer.status_code} with something other than JSON") from fault

    @contextmanager
    def stream(self, path: str, *, start: int = 0, tag: str = "") -> Iterator[httpx.Response]:
        """Yield a file's answer, to be read in pieces. Raises NotAPath, Refused, NotReachable, BrokeOff midway.

        It begins at the byte `start` (with the status 206) if the file still has this ETag.
        """
        _require_own(path)
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}  # bytes are counted as the server stores them
        if start:
            headers |= {"Range": f"bytes={start}-", "If-Range": f'"{tag}"'}
        request = self._client.build_request("GET", path, headers=headers)
        answer = self._answered(lambda: self._client.send(request, stream=True), "GET", {}, _require_readable)
        try:
            yield answer
        except httpx.DecodingError as fault:
            raise NotUnderstood(answer.url, f"with data that cannot be decompressed: {fault}") from fault
        except httpx.TransportError as lost:
            raise BrokeOff(f"{self.url} broke off its answer: {lost or type(lost).__name__}.") from lost
        finally:
            answer.close()

    def _answered(
        self,
        send: Callable[[], httpx.Response],
        method: str,
        options: dict[str, Any],
        take: Callable[[httpx.Response], None],
    ) -> httpx.Response:
        """Return the server's final answer; `take` reads what it needs from a success."""
        deadline, tries = time.monotonic() + self.patience, 0
        while True:
            tries += 1
            pause = pause_after(tries)
            try:
                answer = send()
                (take if answer.is_success else self._read)(answer)
            except httpx.DecodingError as fault:
                raise NotUnderstood(self.url, f"with data that cannot be decompressed: {fault}") from fault
            except httpx.TransportError as lost:
                if not _may_be_sent_again(method, lost) or time.monotonic() + pause > deadline:
                    raise NotReachable(f"{self.url} does not answer: {lost or type(lost).__name__}") from lost
            else:
                if answer.is_success:
                    return answer
                pause = _asked_pause(answer, pause)
                if answer.status_code not in BUSY or time.monotonic() + pause > deadline:
                    raise _refusal(answer)
            self.sleep(pause)
            _rewind(options)

    def _read(self, answer: httpx.Response) -> None:
        """Read the whole answer. Raises NotUnderstood if it never ends."""
        deadline, size, pieces = time.monotonic() + self.patience + LONGEST_PAUSE, 0, []
        try:
            _require_readable(answer)
            for piece in answer.iter_bytes():
                pieces.append(piece)
                size += len(piece)
                if size > LARGEST_ANSWER or time.monotonic() > deadline:
                    raise NotUnderstood(answer.url, "without ever finishing")
        finally:
            answer.close()
        answer._content = b"".join(pieces)  # where httpx itself puts what it reads without a limit


def pause_after(tries: int) -> float:
    """Return the pause in seconds: longer after each attempt, and with a random part that differs between clients."""
    return min(LONGEST_PAUSE, 2.0**tries / 4) * random.uniform(0.8, 1.2)


def _require_login(login: Login) -> None:
    """Refuse a login that would end in an error showing the token, or be retried for minutes. Raises NotLoggedIn."""
    try:
        address = httpx.URL(login.url)
    except httpx.InvalidURL:
        address = httpx.URL()
    if address.scheme not in ("http", "https") or not address.host:
        raise NotLoggedIn(f"{login.url} is not a server address. Write it like https://stepmark.example.org")
    if not all("!" <= sign <= "~" for sign in login.token):
        raise NotLoggedIn("The token has characters that no token has, such as a space or a line break. Copy it again.")


def _require_readable(answer: httpx.Response) -> None:
    packed = answer.headers.get("Content-Encoding", "").strip().lower()
    if packed not in PACKED:
        answer.close()
        raise NotUnderstood(answer.url, "with an encoding that the client did not request")


def _require_own(path: str) -> None:
    if not path.startswith("/") or path.startswith("//"):
        raise NotAPath(f"{path} is not a path on the server. Write it like /api/projects.")


def _may_be_sent_again(method: str, lost: httpx.TransportError) -> bool:
    """Return whether a request may be repeated: reads may; writes only if they surely never arrived."""
    return method == "GET" or isinstance(lost, httpx.ConnectError | httpx.ConnectTimeout)


def _asked_pause(answer: httpx.Response, pause: float) -> float:
    said = answer.headers.get("Retry-After", "")
    return max(0.05, float(said)) if said.isdecimal() else pause


def _refusal(answer: httpx.Response) -> Refused:
    try:
        said = {} if has_many_values(answer.content) else json.loads(answer.content)
    except (ValueError, RecursionError):
        said = {}
    where = {"detail": f"{answer.url} answered {answer.status_code} without a reason. Is it the address of Stepmark?"}
    return Refused(answer.status_code, said if isinstance(said, dict) and said.get("detail") else where)


def _rewind(options: dict[str, Any]) -> None:
    for _name, file in (options.get("files") or {}).values():
        file.seek(0)
