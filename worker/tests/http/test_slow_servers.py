"""Servers that send bytes but never finish an answer: each soon gives a clear error, and retries are limited."""

import time
from collections.abc import Callable
from functools import partial
from itertools import count

import pytest

from worker.chat import ChatServer
from worker.http import server_client
from worker.http.errors import ServerUnavailableError
from worker.http.server_client import ServerClient
from worker.tests.http.counting_server import Handler, running

OFTEN = 0.03  # seconds between two bytes
SILENCE, HEAD = 0.4, 0.3
MOST_TOKENS = 2048


def drip(request: Handler, raw: bytes) -> None:
    """Send the same forever, until the client disconnects."""
    for _ in range(1000):
        request.wfile.write(raw)
        time.sleep(OFTEN)


def head(request: Handler) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Long: ")
    drip(request, b"x")


def heads_before_the_head(request: Handler) -> None:
    drip(request, b"HTTP/1.1 100 Continue\r\n\r\n")


def complaint(request: Handler) -> None:
    request.wfile.write(b"HTTP/1.1 503 Busy\r\nContent-Length: 1000\r\n\r\n")
    drip(request, b"x")


def comments(request: Handler) -> None:
    request.begin_stream()
    for _ in range(1000):
        request.send(b": still here\n\n")
        time.sleep(OFTEN)


def empty_events(request: Handler) -> None:
    request.begin_stream()
    for _ in range(1000):
        request.send(b'data: {"choices": [{"index": 0, "delta": {"role": "assistant", "content": " "}}]}\n\n')
        time.sleep(OFTEN)


def blanks(request: Handler) -> None:
    request.begin_stream("application/json")
    for _ in range(1000):
        request.send(b" ")
        time.sleep(OFTEN)


def one_letter_at_a_time(request: Handler) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[")
    drip(request, b"1")


def a_chunk_s_size_for_ever(request: Handler) -> None:
    request.begin_stream()
    request.wfile.write(b"5;name=")
    drip(request, b"x")


@pytest.fixture
def asker(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ChatServer]:
    monkeypatch.setattr(server_client, "FIRST_WAIT", 0.01)

    def made(url: str) -> ChatServer:
        client = ServerClient(url, timeout=SILENCE, head=HEAD, retries=9, in_flight=1, shown="The generator slow")
        return ChatServer(client, batch=1, stream=True)

    return made


@pytest.mark.parametrize(
    ("answer", "late"),
    [
        (head, "its response headers did not finish within 0.3 s"),
        (heads_before_the_head, "its response headers did not finish within 0.3 s"),
        (complaint, r"its error message \(503\) did not finish within 0.3 s"),
        (comments, "it sent only blanks, comments and empty events for 0.4 s"),
        (empty_events, "it sent only blanks, comments and empty events for 0.4 s"),
        (blanks, "it sent only blanks, comments and empty events for 0.4 s"),
        (one_letter_at_a_time, "it did not finish within 0.4 s"),
        (a_chunk_s_size_for_ever, "it sent only blanks, comments and empty events for 0.4 s"),
    ],
)
def test_a_server_that_drips_is_given_up_soon_in_words_that_name_it(
    asker: Callable[[str], ChatServer], answer: Callable[[Handler], None], late: str
) -> None:
    with running(answer) as server:
        slow = asker(server.url)
        began = time.monotonic()
        with pytest.raises(ServerUnavailableError, match=f"The generator slow answers too slowly: {late}"):
            slow.client.ask("/chat/completions", {}, partial(slow._read, 1, MOST_TOKENS))
        assert time.monotonic() - began < 3
        assert len(server.bodies) == 2, "each attempt holds a worker, so there are two in all"


def test_an_answer_that_begins_slowly_once_is_asked_for_again(asker: Callable[[str], ChatServer]) -> None:
    attempts = count()

    def slow_at_first(request: Handler) -> None:
        if next(attempts) == 0:
            comments(request)
        request.reply(200, b'{"choices": [{"index": 0, "message": {"content": "2"}, "finish_reason": "stop"}]}')

    with running(slow_at_first) as server:
        found = asker(server.url)
        assert found.client.ask("/", {}, partial(found._read, 1, MOST_TOKENS))[0] == [("2", "stop")]


def test_a_long_answer_that_gets_on_and_thoughts_of_a_model_are_not_cut_off(asker: Callable[[str], ChatServer]) -> None:
    def steady(request: Handler) -> None:
        request.begin_stream()
        for field in ["reasoning_content"] * 4 + ["content"] * 4:
            time.sleep(0.6 * SILENCE)
            request.send(
                b": wait\n\n" + b'data: {"choices": [{"index": 0, "delta": {"%s": "a"}}]}\n\n' % field.encode()
            )
        request.send(b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')
        request.send(b"")

    with running(steady) as server:
        found = asker(server.url)
        assert found.client.ask("/", {}, partial(found._read, 1, MOST_TOKENS))[0] == [("aaaa", "stop")]
        assert len(server.bodies) == 1


def test_a_whole_answer_counts_though_its_stream_does_not_end(asker: Callable[[str], ChatServer]) -> None:
    def never_ends(request: Handler) -> None:
        request.begin_stream()
        request.send(b'data: {"choices": [{"index": 0, "delta": {"content": "2"}, "finish_reason": "stop"}]}\n\n')
        request.send(b"data: [DONE]\n\n")
        for _ in range(1000):
            request.send(b": more\n\n")
            time.sleep(OFTEN)

    with running(never_ends) as server:
        found = asker(server.url)
        assert found.client.ask("/", {}, partial(found._read, 1, MOST_TOKENS))[0] == [("2", "stop")]
