"""JSON over HTTP to a server the operator named: time limits, retries, and no more requests at once than it takes."""

import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import Any, TypeVar

from worker.prm.errors import ServerError, ServerUnavailableError, SpecError
from worker.prm.spec import PrmSpec

LARGEST_ANSWER = 64 * 2**20
BUSY = (408, 425, 429, 500, 502, 503, 504)
LONGEST_WAIT = 30.0
# The options that every server family takes.
OPTIONS = ("model", "api_key_env", "timeout", "retries", "in_flight")

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class RefusedError(Exception):
    """The server understood and refuses this one request (400, 413, 422): a matter of the trace, not of the server."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The operator named one address; an answer does not lead to another."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


@dataclass(frozen=True)
class JsonServer:
    """A server's address and manners. `timeout` in seconds without an answer, or the next piece of one; `in_flight`
    requests at once, others wait. `shown` stands in messages where the address is not for everybody.
    """

    url: str
    api_key: str | None = field(repr=False)
    timeout: float
    retries: int
    in_flight: int
    shown: str = ""

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON answer. See `ask`."""
        return self.ask(path, body, self.json_of)

    def ask(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[HTTPResponse], Answer],
        wait_for: Callable[[float], Any] = time.sleep,
    ) -> Answer:
        """What `read` makes of the answer. Raises RefusedError, ServerUnavailableError after all retries, ServerError
        for the rest. An OSError of `read` means that the answer was cut off: it is asked for again.

        A busy server (429, 503, no answer) is asked again after what it says in Retry-After, or after a wait that
        doubles and has a random part, so that several workers do not come back at the same moment.
        """
        failure = ""
        for attempt in range(self.retries + 1):
            try:
                return self.once(path, body, read)
            except urllib.error.HTTPError as error:
                with error:
                    text = self.without_key(error.read(2000).decode(errors="replace"))
                failure, wait = f"{error.code} {text}".strip(), error.headers.get("Retry-After")
                if error.code in (400, 413, 422):
                    raise RefusedError(failure) from error
                if error.code not in BUSY:
                    raise ServerError(f"{self.named(path)} answers {failure}. Check address, key and model.") from error
            except (OSError, HTTPException) as error:
                failure, wait = str(error) or type(error).__name__, None
            if attempt < self.retries:
                wait_for(pause(attempt, wait))
        raise ServerUnavailableError(f"{self.named(path)} gave no answer in {self.retries + 1} attempts: {failure}")

    def once(self, path: str, body: Mapping[str, Any], read: Callable[[HTTPResponse], Answer]) -> Answer:
        """One request."""
        headers = {"Content-Type": "application/json"}
        if self.api_key is not None:
            headers["Authorization"] = f"Bearer {self.api_key}"
        request = urllib.request.Request(self.url.rstrip("/") + path, json.dumps(body).encode(), headers)
        opener = urllib.request.build_opener(NoRedirects)
        with opener.open(request, timeout=self.timeout) as answer:
            return read(answer)

    def json_of(self, answer: HTTPResponse) -> Any:
        """The whole answer as JSON."""
        raw = answer.read(LARGEST_ANSWER + 1)
        if len(raw) > LARGEST_ANSWER:
            raise ServerError(f"{self.named()} answers more than {LARGEST_ANSWER} bytes.")
        if answer.length:
            raise ConnectionError("the answer was cut off")
        return self.parsed(raw)

    def parsed(self, raw: bytes) -> Any:
        """The value of a JSON text. Raises ServerError."""
        try:
            return json.loads(raw)
        except ValueError as error:
            raise ServerError(f"{self.named()} does not answer JSON.") from error

    def named(self, path: str = "") -> str:
        """The server as messages call it."""
        return self.shown or f"{self.url}{path}"

    def without_key(self, text: str) -> str:
        """The text of a server that repeats the key in its complaint."""
        return text.replace(self.api_key, "[key]") if self.api_key else text

    def each(self, ask: Callable[[Question], Answer], questions: Iterable[Question]) -> list[Answer]:
        """Answers in order, `in_flight` at a time; the first error ends it and nothing new is sent."""
        stopped = threading.Event()

        def unless_stopped(question: Question) -> Answer | None:
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


def pause(attempt: int, retry_after: str | None) -> float:
    """Seconds until the next attempt."""
    if retry_after is not None and retry_after.isascii() and retry_after.isdigit():
        return min(float(retry_after), LONGEST_WAIT)
    return min(0.25 * 2.0**attempt, LONGEST_WAIT) * (0.5 + random.random() / 2)


def server_of(spec: PrmSpec) -> JsonServer:
    """The server of a spec. The key is read from the environment variable it names and is in no record."""
    key_name = spec.option("api_key_env", None)
    if key_name is not None and key_name not in os.environ:
        raise SpecError(f"The environment variable {key_name} (api_key_env) is not set on this worker.")
    timeout, retries, in_flight = (
        spec.option("timeout", 120.0),
        spec.option("retries", 5),
        spec.option("in_flight", 8),
    )
    if not (timeout > 0 and retries >= 0 and 1 <= in_flight <= 256):
        raise SpecError("timeout is above 0, retries at least 0, in_flight between 1 and 256.")
    return JsonServer(
        str(spec.url), None if key_name is None else os.environ[key_name], float(timeout), int(retries), int(in_flight)
    )


def model_of(spec: PrmSpec) -> str:
    """The name under which the server knows the model."""
    model = spec.option("model", None)
    if not isinstance(model, str) or not model:
        raise SpecError("A server family needs the option model: the name under which the server knows it.")
    return model
