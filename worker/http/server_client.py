"""JSON and event streams over HTTP from a server the operator named: kept-open connections, time limits, retries, and a
limit on simultaneous requests.
"""

import json
import os
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import stamina
from httpx_sse import EventSource

from worker.http.connections import Connections, Pace
from worker.http.errors import RefusedError, ServerError, ServerUnavailableError, StoppedError, TooSlowError

LARGEST_ANSWER = 64 * 2**20  # bytes
MOST_VALUES = 1_000_000  # per answer: each takes 60 bytes or more in memory, where the answer has two
TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)  # or an unended one: else each quote restarts a scan
LONGEST_ANSWER = 6 * 3600.0  # seconds, however slowly it arrives
CONNECT = 10.0  # seconds; less if the client's own time limit is less
HEAD = 10.0  # seconds for an answer's headers, or an error message, from first to last byte; less, as above
GOODBYE = 1.0  # seconds from the last event of a stream to its end
SLOW = 2  # most attempts if answers begin but make no progress: each holds a worker for long
FIRST_WAIT, LONGEST_WAIT = 0.25, 30.0  # seconds between two attempts
REFUSED = (400, 413, 422)
BUSY = (408, 425, 429, 500, 502, 503, 504)
EVENTS = "text/event-stream"

Question = TypeVar("Question")
Given = TypeVar("Given")


class PassingError(Exception):
    """The server is busy, away or `slow`. `wait`: after how many seconds it asked to retry."""

    def __init__(self, text: str, wait: float | None = None, *, slow: bool = False) -> None:
        super().__init__(text)
        self.wait, self.slow = wait, slow


class Answer:
    """An answer that a server is about to send or is sending."""

    def __init__(self, client: "ServerClient", response: httpx.Response, pace: Pace) -> None:
        self._client, self._response, self._pace = client, response, pace
        self._ends = time.monotonic() + client.longest
        self.went_on()

    def went_on(self) -> None:
        """Note progress: the next piece has as long as silence may last."""
        self._pace.within(self._client.timeout, "it sent only blanks, comments and empty events for")

    @property
    def is_stream(self) -> bool:
        """Whether it arrives as server-sent events."""
        return self._response.headers.get("Content-Type", "").partition(";")[0].strip().lower() == EVENTS

    def json(self) -> Any:
        """Return the whole answer as JSON. Raises ServerError."""
        found: list[bytes] = []
        for piece in self.pieces():
            if not found and not piece.isspace():
                self._pace.within(self._client.timeout, "it did not finish within")
            if found or not piece.isspace():
                found.append(piece)
        return self._client.parsed(b"".join(found))

    def events(self, last: str) -> Iterator[Any]:
        """Yield the JSON values of server-sent events as they arrive, up to the one with the data `last`. The reader
        reports progress with `went_on`.
        """
        stream = httpx.Response(200, headers={"Content-Type": EVENTS}, content=self.pieces())
        events = EventSource(stream).iter_sse()
        for event in events:
            if event.data == last:
                self._pace.within(GOODBYE, "")
                with suppress(httpx.TransportError, TooSlowError):
                    deque(events, maxlen=0)  # once its end has arrived too, the connection serves the next request
                return
            if event.data:
                yield self._client.parsed(event.data)

    def pieces(self) -> Iterator[bytes]:
        """Yield its bytes as they arrive. Raises StoppedError, and ServerError if it is too large or takes too long."""
        size = 0
        for piece in self._response.iter_raw():
            if self._client.stopped.is_set():
                raise StoppedError
            size += len(piece)
            if size > LARGEST_ANSWER:
                raise ServerError(f"{self._client.named()} answered with more than {LARGEST_ANSWER} bytes.")
            if time.monotonic() > self._ends:
                raise ServerError(
                    f"{self._client.named()} did not finish its answer within {self._client.longest:g} s."
                )
            yield piece


class ServerClient:
    """A server's address and limits.

    `timeout` is in seconds without an answer, or without the next piece of one that says something; `head` is for an
    answer's headers, and `longest` for a whole answer. `in_flight` requests run at once; others wait. Messages use
    `shown` if the address is not for everyone.

    Any number of threads may send requests. A forked process makes its own connections. They end with `stop`, with the
    last reference to the client, and with its process. Raises ServerError if the address or key cannot be used.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        timeout: float,
        retries: int,
        in_flight: int,
        shown: str = "",
        longest: float = LONGEST_ANSWER,
        head: float = HEAD,
    ) -> None:
        self.url, self.shown, self._api_key = url.rstrip("/"), shown, api_key
        self.timeout, self.retries, self.in_flight = timeout, retries, in_flight
        self.longest, self.head = longest, min(head, timeout)
        self.stopped = threading.Event()
        self._opening = threading.Lock()
        self._connections: dict[int, Connections] = {}  # by process: a socket that two processes read works for neither
        if urlsplit(url).username is not None:
            raise ServerError(
                f"{shown or 'The server'}: its address contains a user name or password. Use a key instead."
            )
        if api_key is not None and not (api_key.isascii() and api_key.isprintable() and api_key == api_key.strip()):
            raise ServerError(
                f"{self.named()} has a key with a space, a line break or a character that a header cannot carry."
            )

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the JSON answer. See `ask`."""
        return self.ask(path, body, Answer.json)

    def ask(self, path: str, body: Mapping[str, Any], read: Callable[[Answer], Given]) -> Given:
        """Return what `read` makes of the answer. Raises RefusedError, ServerUnavailableError after all retries,
        StoppedError after `stop`, ServerError otherwise. A ConnectionError from `read` means that the answer was cut
        off.

        A busy server (429, 503, no answer) is asked again after the time in Retry-After, or after a wait that doubles
        and has a random part, so that several workers do not return at the same moment. No request changes anything on
        the server, so repeating one does no harm. A server whose answers make no progress is asked only twice.
        """
        slow = 0
        attempts = stamina.retry_context(
            on=retry_at_once_if_passing,
            attempts=self.retries + 1,
            timeout=None,
            wait_initial=FIRST_WAIT,
            wait_max=LONGEST_WAIT,
        )
        try:
            for attempt in attempts:
                with attempt:
                    try:
                        return self._once(path, body, read)
                    except PassingError as fault:
                        slow += fault.slow
                        if slow == SLOW:
                            what = f"{self.named(path)} answers too slowly: {fault}"
                            raise ServerUnavailableError(what) from fault
                        if attempt.num <= self.retries:
                            self._wait(fault.wait, attempt.next_wait)
                        raise
        except PassingError as fault:
            times = "1 attempt" if self.retries == 0 else f"{self.retries + 1} attempts"
            what = f"{self.named(path)} gave no answer after {times}: {fault}"
            raise ServerUnavailableError(what) from fault
        raise AssertionError("the last attempt returns or raises")

    def stop(self) -> None:
        """Permanently end every wait and answer, in other threads too, with StoppedError. Any thread may call this."""
        self.stopped.set()
        if (connections := self._connections.get(os.getpid())) is not None:
            connections.abort()

    def each(self, ask: Callable[[Question], Given], questions: Iterable[Question]) -> list[Given]:
        """Return the answers in order, `in_flight` at a time. The first error ends it, and nothing new is sent."""
        stopped = threading.Event()

        def unless_stopped(question: Question) -> Given | None:
            if stopped.is_set():
                return None
            try:
                return ask(question)
            except BaseException:
                stopped.set()
                raise

        with ThreadPoolExecutor(self.in_flight) as pool:
            waiting = [pool.submit(unless_stopped, question) for question in questions]
        errors = [error for one in waiting if (error := one.exception()) is not None]
        if errors:
            raise errors[0]
        return [answer for one in waiting if (answer := one.result()) is not None]

    def named(self, path: str = "") -> str:
        """Return the server's name for messages."""
        return self.shown or f"{self.url}{path}"

    def without_key(self, text: str) -> str:
        """Return the text of a server without the key, in case its message repeats it."""
        return text.replace(self._api_key, "[key]") if self._api_key else text

    def parsed(self, text: str | bytes) -> Any:
        """Return the value of a JSON text. Raises ServerError."""
        if has_many_values(text.encode() if isinstance(text, str) else text):
            raise ServerError(f"{self.named()} answered with more than {MOST_VALUES:,} values.")
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ServerError(f"{self.named()} did not answer with JSON.") from error

    def _once(self, path: str, body: Mapping[str, Any], read: Callable[[Answer], Given]) -> Given:
        """Send one request. Raises PassingError if it may be sent again."""
        headers = {"Content-Type": "application/json"}
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key}"
        pace = Pace(self.head)
        try:
            with self._open().post(self.url + path, json.dumps(body).encode(), headers, pace=pace) as response:
                if not response.is_success:
                    pace.within(self.head, f"its error message ({response.status_code}) did not finish within")
                self._require_taken(path, response)
                if (packed := response.headers.get("Content-Encoding", "identity").lower()) != "identity":
                    raise ServerError(
                        f"{self.named(path)} answered with the encoding {packed[:40]}, which was not requested."
                    )
                return read(Answer(self, response, pace))
        except TooSlowError as error:
            raise PassingError(str(error), slow=True) from error
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
            raise ServerError(f"{self.named(path)} cannot be called: {self.without_key(str(error))}") from error
        except (httpx.TransportError, OSError) as error:
            if self.stopped.is_set():
                raise StoppedError from error
            raise PassingError(self.without_key(str(error)) or type(error).__name__) from error

    def _require_taken(self, path: str, response: httpx.Response) -> None:
        """Raise RefusedError, PassingError or ServerError unless the status is 2xx."""
        if response.is_success:
            return
        failure = f"{response.status_code} {self._complaint(response)}".strip()
        if response.status_code in REFUSED:
            raise RefusedError(failure)
        if response.status_code in BUSY:
            raise PassingError(failure, seconds_of(response.headers.get("Retry-After", "")))
        raise ServerError(f"{self.named(path)} answered {failure}. Check the address, key and model.")

    def _complaint(self, response: httpx.Response) -> str:
        """Return the beginning of the server's message about a failure."""
        text = b""
        for piece in response.iter_raw():
            text += piece
            if len(text) > 2000:
                break
        return self.without_key(text[:2000].decode(errors="replace"))

    def _open(self) -> Connections:
        """Return this process's connections, made by the first thread that asks: reading the machine's certificates
        takes a hundredth of a second, and hundreds of threads ask at once.
        """
        if self.stopped.is_set():
            raise StoppedError
        if (found := self._connections.get(os.getpid())) is not None:
            return found
        with self._opening:
            if (found := self._connections.get(os.getpid())) is None:
                found = self._connections[os.getpid()] = self._connect()
            return found

    def _connect(self) -> Connections:
        wait = min(CONNECT, self.timeout)
        try:
            return Connections(size=self.in_flight, connect=wait, read=self.timeout, proxies=True)
        except (ImportError, ValueError) as error:
            what = f"{self.named()} cannot be reached through the proxy in this worker's environment"
            raise ServerError(f"{what}: {error}") from error

    def _wait(self, told: float | None, doubled: float) -> None:
        """Wait until the next attempt, unless the client is stopped meanwhile."""
        if self.stopped.wait(doubled * random.uniform(0.5, 1.0) if told is None else told):
            raise StoppedError


def has_many_values(text: bytes) -> bool:
    """Return whether a JSON text has more than MOST_VALUES values, by the signs that begin or separate them. Signs
    within its strings do not count; strings are only looked for if that can make the difference.
    """
    if signs_in(text) <= MOST_VALUES:
        return False
    signs = end = 0
    for texts, found in enumerate(TEXT.finditer(text)):
        signs += signs_in(text[end : found.start()])
        end = found.end()
        if signs > MOST_VALUES or texts > 2 * MOST_VALUES:  # each is a value, or the name of one
            return True
    return signs + signs_in(text[end:]) > MOST_VALUES


def signs_in(text: bytes) -> int:
    """Count commas, and beginnings of lists and objects."""
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def retry_at_once_if_passing(fault: Exception) -> float | bool:
    """Tell stamina whether to retry. Its own wait could not be ended by `stop`, so `ask` has already waited."""
    return 0.0 if isinstance(fault, PassingError) else False


def seconds_of(retry_after: str) -> float | None:
    """Return the seconds of a Retry-After, at most LONGEST_WAIT; None if it is not in seconds."""
    if not (retry_after.isascii() and retry_after.isdigit()):
        return None
    return min(float(retry_after), LONGEST_WAIT)
