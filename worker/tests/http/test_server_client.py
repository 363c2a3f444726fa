"""The client of model servers, with a real server that counts the connections it accepts."""

import gc
import json
import logging
import os
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from worker.http import server_client
from worker.http.errors import RefusedError, ServerError, ServerUnavailableError, StoppedError
from worker.http.server_client import Answer, ServerClient
from worker.tests.http.counting_server import Handler, running

IDENTITY = Path(__file__).parents[1] / "webhook_receiver.pem"
KEY = "sk-very-secret"


def client(url: str, **manners: Any) -> ServerClient:
    return ServerClient(url, manners.pop("key", None), **{"timeout": 5.0, "retries": 0, "in_flight": 4, **manners})


def echo(request: Handler) -> None:
    request.reply(200, json.dumps(request.server.bodies[-1]).encode())


def events(*texts: bytes) -> Callable[[Handler], None]:
    """Answer with these pieces of a stream, one TCP segment each."""

    def answer(request: Handler) -> None:
        request.begin_stream()
        for text in texts:
            request.send(text)
        request.send(b"")

    return answer


def all_events(answer: Answer) -> list[Any]:
    assert answer.is_stream
    return list(answer.events("[DONE]"))


def raised_by(ask: Callable[[], Any]) -> tuple[Callable[[], BaseException | None], threading.Thread]:
    """Ask in a thread; return the error raised, once the thread has ended."""
    found: list[BaseException] = []

    def run() -> None:
        try:
            ask()
        except BaseException as error:  # noqa: BLE001 (shown by the test)
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return lambda: found[0] if found else None, thread


def test_a_thousand_calls_reuse_the_pool_s_connections() -> None:
    def answer(request: Handler) -> None:
        request.reply(200, b'{"ok": true}')

    with running(answer) as server:
        asker = client(server.url, in_flight=4)
        with ThreadPoolExecutor(16) as threads:
            answers = list(threads.map(lambda number: asker.post("/pooling", {"number": number}), range(1000)))
        assert answers == [{"ok": True}] * 1000
        assert sorted(body["number"] for body in server.bodies) == list(range(1000))
        assert 1 <= server.connections <= 4


def test_streams_errors_and_refusals_reuse_them_too() -> None:
    def answer(request: Handler) -> None:
        number = request.server.bodies[-1]["number"]
        if number % 3 == 0:
            request.reply(400, b'{"error": "too long"}')
        elif number % 3 == 1 and len(request.server.bodies) % 2:
            request.reply(503, b"busy", Retry_After="0")
        else:
            events(b'data: {"at": 1}\n\n', b"data: [DONE]\n\n")(request)

    with running(answer) as server:
        asker = client(server.url, retries=9)
        for number in range(60):
            if number % 3 == 0:
                with pytest.raises(RefusedError, match='400 {"error": "too long"}'):
                    asker.post("/", {"number": number})
            else:
                assert asker.ask("/", {"number": number}, all_events) == [{"at": 1}]
        assert server.connections == 1


def test_a_connection_that_the_server_closed_meanwhile_is_not_used_again() -> None:
    def answer(request: Handler) -> None:
        request.close_connection = True  # without saying so in a header
        request.reply(200, b"1")

    with running(answer) as server:
        asker = client(server.url)
        for count in range(1, 4):
            assert asker.post("/", {}) == 1
            while server.closed < count:
                time.sleep(0.01)


def test_stopping_cuts_off_a_request_that_the_server_is_silent_about() -> None:
    with running(Handler.wait_for_hang_up) as server:
        asker = client(server.url, timeout=60, retries=5)
        raised, thread = raised_by(lambda: asker.post("/", {}))
        while not server.bodies:
            time.sleep(0.01)
        asker.stop()
        thread.join(2)
        assert isinstance(raised(), StoppedError)
        assert server.hung_up.wait(2), "the server can stop working on it"
        with pytest.raises(StoppedError):
            asker.post("/", {})
        assert len(server.bodies) == 1


def test_stopping_ends_the_wait_that_a_busy_server_asked_for() -> None:
    with running(lambda request: request.reply(429, b"later", Retry_After="30")) as server:
        asker = client(server.url, retries=5)
        raised, thread = raised_by(lambda: asker.post("/", {}))
        while not server.bodies:
            time.sleep(0.01)
        time.sleep(0.1)
        asker.stop()
        thread.join(2)
        assert isinstance(raised(), StoppedError)
        assert len(server.bodies) == 1


def test_stopping_ends_a_stream_that_goes_on_for_ever() -> None:
    def drip(request: Handler) -> None:
        request.begin_stream()
        while True:
            request.send(b": still here\n\n")
            time.sleep(0.02)

    with running(drip) as server:
        asker = client(server.url)
        raised, thread = raised_by(lambda: asker.ask("/", {}, all_events))
        while not server.bodies:
            time.sleep(0.01)
        asker.stop()
        thread.join(2)
        assert isinstance(raised(), StoppedError)
        assert server.hung_up.wait(2)


def test_a_busy_server_is_asked_again_after_what_it_says_and_silence_ends_after_the_last_attempt() -> None:
    times: list[float] = []

    def answer(request: Handler) -> None:
        times.append(time.monotonic())
        if len(times) == 1:
            request.reply(429, b"later", Retry_After="1")
        else:
            echo(request)

    with running(answer) as server:
        assert client(server.url, retries=1).post("/", {"a": 1}) == {"a": 1}
        assert 0.95 < times[1] - times[0] < 3
    with running(lambda request: request.reply(503, b"loading")) as server:
        with pytest.raises(
            ServerUnavailableError, match=f"{server.url}/x gave no answer after 3 attempts: 503 loading"
        ):
            client(server.url, retries=2).post("/x", {})
        assert len(server.bodies) == 3


def test_what_a_person_must_mend_is_not_asked_again() -> None:
    for status in (301, 401, 403, 404, 501):
        with running(partial(Handler.reply, status=status, raw=b"no", Location="/other")) as server:
            with pytest.raises(ServerError, match=f"answered {status} no. Check the address, key and model"):
                client(server.url, retries=5).post("/x", {})
            assert server.paths == ["/x"]


def test_an_answer_that_drips_ends_at_the_time_for_a_whole_one() -> None:
    def drip(request: Handler) -> None:
        request.begin_stream("application/json")
        while True:
            request.send(b" ")
            time.sleep(0.05)

    with running(drip) as server:
        began = time.monotonic()
        with pytest.raises(ServerError, match="did not finish its answer within 0.3 s"):
            client(server.url, longest=0.3).post("/", {})
        assert time.monotonic() - began < 2


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_without_end_is_not_kept_in_memory(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(server_client, "LARGEST_ANSWER", 2**20)
    sent: list[int] = []

    def flood(request: Handler) -> None:
        request.begin_stream(kind)
        for _ in range(1000):  # one line, never ended
            request.send(b"d" * 2**16)
            sent.append(2**16)

    with running(flood) as server, pytest.raises(ServerError, match="answered with more than 1048576 bytes"):
        client(server.url).ask("/", {}, lambda one: all_events(one) if one.is_stream else one.json())
    assert sum(sent) < 2**24


@pytest.mark.parametrize("piece", [b"[],", b"0,", b'{"a":0},', b'"ab",'])
def test_an_answer_of_very_many_values_is_not_made(monkeypatch: pytest.MonkeyPatch, piece: bytes) -> None:
    monkeypatch.setattr(server_client, "MOST_VALUES", 1_000)
    many = b"[" + piece * 1_000 + b"0]"

    def whole(request: Handler) -> None:
        request.reply(200, many)

    with running(whole) as server, pytest.raises(ServerError, match="answered with more than 1,000 values"):
        client(server.url).post("/", {})
    with (
        running(events(b"data: " + many + b"\n\n")) as server,
        pytest.raises(ServerError, match="more than 1,000 values"),
    ):
        client(server.url).ask("/", {}, all_events)


def test_signs_within_a_text_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_client, "MOST_VALUES", 1_000)
    text = '[{,"\\\\"' * 5_000
    with running(echo) as server:
        assert client(server.url).post("/", {"text": text, "of": [1, 2]}) == {"text": text, "of": [1, 2]}


def test_events_are_read_as_the_standard_says() -> None:
    pieces = (
        b": keeps the line open\r\n\r\nevent: chunk\r\nid: 7\r\nda",
        b'ta: {"a":\r\ndata: 1}\r',
        b'\n\r\nretry: 10\n\ndata:{"text": "\xe2\x82',
        b'\xac"}\n\n\ndata: [DONE]\n\n',
        b'data: {"after": "the end"}\n\n',
    )
    with running(events(*pieces)) as server:
        assert client(server.url).ask("/", {}, all_events) == [{"a": 1}, {"text": "€"}]
    with running(events(b'data: {"a": 1}\n\ndata: {"cut": ')) as server:
        assert client(server.url).ask("/", {}, all_events) == [{"a": 1}]
    with running(events(b"data: {oops\n\n")) as server, pytest.raises(ServerError, match="did not answer with JSON"):
        client(server.url).ask("/", {}, all_events)


def test_an_answer_that_is_cut_off_is_asked_for_again() -> None:
    def cut_the_first(request: Handler) -> None:
        if len(request.server.bodies) > 1:
            return echo(request)
        request.begin_stream("application/json")
        request.send(b'{"half": ')
        request.close_connection = True
        return None

    with running(cut_the_first) as server:
        assert client(server.url, retries=1).post("/", {"a": 1}) == {"a": 1}


def test_the_key_is_in_no_message_and_neither_key_nor_address_in_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with running(lambda request: request.reply(401, f"no such key: {KEY}".encode())) as server:
        with pytest.raises(ServerError, match=r"no such key: \[key\]") as raised:
            client(server.url, key=KEY).post("/", {})
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        assert KEY not in str(raised.value)
        with pytest.raises(ServerUnavailableError):
            client("http://127.0.0.1:1", key=KEY, retries=1).post("/", {})
        assert KEY not in caplog.text
        assert "127.0.0.1" not in caplog.text
    for key in (KEY + "\n", f" {KEY}", KEY + "é", KEY + "\x00"):
        with pytest.raises(ServerError, match="has a key with a space, a line break") as raised:
            client("http://127.0.0.1:1", key=key)
        assert KEY not in str(raised.value)
    with pytest.raises(ServerError, match="contains a user name or password") as raised:
        client(f"http://user:{KEY}@127.0.0.1:1")
    assert KEY not in str(raised.value)


def test_a_forked_process_makes_connections_of_its_own() -> None:
    with running(echo) as server:
        asker = client(server.url)
        assert asker.post("/", {"from": "parent"}) == {"from": "parent"}
        pid = os.fork()
        if pid == 0:  # ends in every case
            try:
                good = all(asker.post("/", {"from": number}) == {"from": number} for number in range(3))
                asker.stop()
                del asker
                gc.collect()
                os._exit(0 if good else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert server.connections == 2
        assert asker.post("/", {"from": "parent again"}) == {"from": "parent again"}
        assert server.connections == 2, "the child's end did not touch the parent's connection"


def test_threads_that_come_at_once_share_what_the_first_one_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    read, made = ssl.create_default_context, []

    def slowly() -> ssl.SSLContext:
        made.append(threading.get_ident())
        time.sleep(0.1)
        return read()

    with running(echo) as server:
        asker = client(server.url, in_flight=16)
        monkeypatch.setattr(ssl, "create_default_context", slowly)
        with ThreadPoolExecutor(16) as pool:
            assert list(pool.map(lambda number: asker.post("/", {"from": number}), range(16))) == [
                {"from": number} for number in range(16)
            ]
    assert len(made) == 1


def test_a_client_that_nobody_holds_any_more_closes_its_connections() -> None:
    with running(echo) as server:
        asker = client(server.url)
        asker.post("/", {})
        assert not server.hung_up.is_set()
        del asker
        gc.collect()
        assert server.hung_up.wait(2)


def test_an_answer_s_cookie_is_not_carried_to_the_next_request() -> None:
    with running(lambda request: request.reply(200, b"1", Set_Cookie="who=me")) as server:
        asker = client(server.url)
        asker.post("/", {})
        asker.post("/", {})
        assert "Cookie" not in server.headers[1]


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(echo) as server:
        monkeypatch.setenv("http_proxy", server.url)
        assert client("http://model.invalid:8000/v1").post("/pooling", {"a": 1}) == {"a": 1}
        assert server.paths == ["http://model.invalid:8000/v1/pooling"]
    monkeypatch.setenv("http_proxy", "socks4://127.0.0.1:1")
    with pytest.raises(ServerError, match="through the proxy in this worker's environment"):
        client("http://model.invalid:8000/v1").post("/pooling", {})


def test_an_unknown_certificate_is_not_believed_and_a_known_one_of_the_machine_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(IDENTITY)
    with running(echo, tls) as server:
        with pytest.raises(ServerUnavailableError, match="CERTIFICATE_VERIFY_FAILED"):
            client(server.url).post("/", {})
        monkeypatch.setenv("SSL_CERT_FILE", str(IDENTITY))  # as OpenSSL reads it; the name is still another
        with pytest.raises(ServerUnavailableError, match="(?i)mismatch|not valid for"):
            client(server.url).post("/", {})
        assert server.bodies == []


def test_stopping_cuts_off_an_encrypted_connection_too(monkeypatch: pytest.MonkeyPatch) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(IDENTITY)
    trusting = ssl.create_default_context(cafile=str(IDENTITY))
    trusting.check_hostname = False
    monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)
    with running(Handler.wait_for_hang_up, tls) as server:
        asker = client(server.url, timeout=60)
        raised, thread = raised_by(lambda: asker.post("/", {}))
        while not server.bodies:
            time.sleep(0.01)
        asker.stop()
        thread.join(2)
        assert isinstance(raised(), StoppedError)


def test_neither_django_nor_celery_nor_torch_is_needed() -> None:
    program = (
        "import sys, worker.http.server_client, worker.http.pinned, worker.prm.servers\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'django', 'celery', 'torch', 'labeling'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
