"""A sign-in provider that accepts connections and never answers, or never stops: what strangers can do with it, and its
recovery.
"""

import gzip
import json
import time
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from joserfc import jws

from annotation_app import provider_requests
from labeling.tests.accounts import Browser
from labeling.tests.people.provider import Provider
from labeling.tests.people.test_provider_logouts import signed_in, tell, token
from labeling.tests.people.test_sign_in import come_back, provider, set_up, who  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db
PATIENCE = 1.0
BEGIN = "/api/session/providers/sso/begin"
DISCOVERY = "/.well-known/openid-configuration"  # as in the standard


class Clock:
    """The time as requests to providers see it."""

    def __init__(self) -> None:
        self.later = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.later


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(provider_requests, "time", clock)
    monkeypatch.setattr(provider_requests, "PATIENCE", PATIENCE)
    return clock


@pytest.fixture
def sso(provider: Provider, set_up: Any, clock: Clock) -> Iterator[Provider]:  # noqa: F811
    set_up(sso=(provider, {}))
    yield provider
    provider.hangs.clear()
    provider.drips.clear()


def test_what_is_no_signed_token_asks_nothing_of_the_provider(sso: Provider) -> None:
    whole = token(sso).split(".")
    none, own = "eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9"  # {"alg":"none"}, {"alg":"HS256"}
    for text in ("x", "a.b.c", "W10.W10.W10", "MQ.MQ.MQ", "....", "é.é.é", ".".join(whole[:2])):
        tell(text, status=400)
    for head in (none, own):
        tell(".".join([head, *whole[1:]]), status=400)
    assert sso.came == []


def test_strangers_cannot_make_everybody_wait_for_a_provider_that_hangs(sso: Provider, clock: Clock) -> None:
    sso.hangs.add(DISCOVERY)
    said, browser = token(sso), Browser()
    tell(said, status=400)
    assert sso.came == [DISCOVERY]
    began = time.monotonic()
    for _ in range(10):
        tell(said, status=400)
        assert browser.call("POST", BEGIN, {"next": "/"}, status=502)["code"] == "provider_failed"
    assert sso.came == [DISCOVERY], "that it did not answer is remembered"
    assert time.monotonic() - began < 20 * PATIENCE, "each was told at once"
    clock.later += provider_requests.PAUSE
    strangers = [Thread(target=tell, args=(said,), kwargs={"status": 400}) for _ in range(6)]
    for one in strangers:
        one.start()
    for one in strangers:
        one.join()
    assert sso.came == 2 * [DISCOVERY], "one looks whether it answers again, the others do not wait"
    sso.hangs.clear()
    clock.later += provider_requests.PAUSE
    assert come_back(browser, sso) == "/projects"


def test_any_code_that_a_stranger_brings_holds_no_thread_either(sso: Provider, clock: Clock) -> None:
    sso.hangs.add("/token")
    for _ in range(3):
        assert come_back(Browser(), sso) == "/login?refused=failed"
    assert sso.came.count("/token") == 1
    sso.hangs.clear()
    clock.later += provider_requests.PAUSE
    assert come_back(Browser(), sso) == "/projects"
    sso.person["sub"] = None  # an answer outside the standard is still an answer
    for _ in range(2):
        assert come_back(Browser(), sso) == "/login?refused=failed"
    assert sso.came.count("/token") == 4


def test_while_one_request_waits_for_what_grew_old_others_go_on_with_it(sso: Provider, clock: Clock) -> None:
    leaving, coming = signed_in(sso), Browser()
    sso.hangs.add(DISCOVERY)
    clock.later += provider_requests.REMEMBERED
    stranger = Thread(target=tell, args=(token(sso),), kwargs={"status": 400})
    stranger.start()
    while sso.came.count(DISCOVERY) < 2:
        time.sleep(0.01)
    assert coming.call("POST", BEGIN, {"next": "/"})["url"].startswith(sso.issuer)
    stranger.join()
    assert leaving.call("POST", "/api/session/logout")["leave_to"] is None
    assert who(leaving) is None, "signed out here, though not there"
    assert sso.came.count(DISCOVERY) == 2


@pytest.mark.parametrize(
    "begins", [b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n", b"HTTP/1.0 200 OK\r\nX:"]
)
@pytest.mark.parametrize("path", ["/token", DISCOVERY])
def test_an_answer_that_drips_ends_in_time_and_is_none(sso: Provider, clock: Clock, path: str, begins: bytes) -> None:
    sso.drips[path] = begins
    began = time.monotonic()
    browser = Browser()
    if path == DISCOVERY:
        assert browser.call("POST", BEGIN, {"next": "/"}, status=502)["code"] == "provider_failed"
        browser.call("POST", BEGIN, {"next": "/"}, status=502)
    else:
        assert come_back(browser, sso) == come_back(Browser(), sso) == "/login?refused=failed"
    assert time.monotonic() - began < 2 * PATIENCE, "once, and the next one was told at once"
    assert sso.came.count(path) == 1
    sso.drips.clear()
    clock.later += provider_requests.PAUSE
    assert come_back(browser, sso) == "/projects"


LARGE = b'"' + b"a" * provider_requests.LARGEST + b'"'


@pytest.mark.parametrize("path", ["/token", DISCOVERY])
@pytest.mark.parametrize(
    ("about", "body"),
    [({}, LARGE), ({"Content-Encoding": "gzip"}, gzip.compress(b"0" * 2**27))],
    ids=["plain", "packed"],
)
def test_of_an_answer_that_is_too_large_no_more_is_read(
    sso: Provider, clock: Clock, path: str, about: dict[str, str], body: bytes
) -> None:
    sso.says[path] = (about, body)
    browser = Browser()
    for _ in range(2):
        if path == DISCOVERY:
            browser.call("POST", BEGIN, {"next": "/"}, status=502)
        else:
            assert come_back(browser, sso) == "/login?refused=failed"
    assert sso.came.count(path) == 1, "it is left alone, as one that does not answer"
    sso.says.clear()
    clock.later += provider_requests.PAUSE
    assert come_back(browser, sso) == "/projects"


@pytest.mark.parametrize("path", ["/token", "/userinfo", "/keys", DISCOVERY])
@pytest.mark.parametrize(
    "said",
    [
        ({}, b"[" * 200_000),
        ({}, b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
        ({}, b"\xff\xfe\x00"),
        ({}, b"9" * 5000),
        ({}, b"<html>"),
        ({}, b"[]"),
        ({"Content-Encoding": "gzip"}, b"{}"),
        ({"Content-Encoding": "br"}, b"{}"),
    ],
    ids=lambda said: f"{said[0]} {said[1][:9]!r}",
)
def test_an_answer_that_cannot_be_read_is_a_failed_sign_in(
    sso: Provider, clock: Clock, path: str, said: tuple[dict[str, str], bytes]
) -> None:
    sso.says[path] = said
    del sso.person["email"]  # so that userinfo is requested, too
    browser = Browser()
    if path == DISCOVERY:
        assert browser.call("POST", BEGIN, {"next": "/"}, status=502)["code"] == "provider_failed"
    else:
        assert come_back(browser, sso) == "/login?refused=failed"
    sso.says.clear()
    clock.later += provider_requests.PAUSE
    assert come_back(browser, sso) == "/projects"


def test_an_answer_that_is_packed_unasked_is_read(sso: Provider) -> None:
    sso.says[DISCOVERY] = ({"Content-Encoding": "gzip"}, gzip.compress(json.dumps(sso.discovery()).encode()))
    assert come_back(Browser(), sso) == "/projects"


def test_addresses_of_a_discovery_that_are_none_are_a_failed_sign_in(sso: Provider) -> None:
    for name in ("token_endpoint", "userinfo_endpoint", "jwks_uri"):
        for address in ("http://[", "x", "http://\u0000", "http://a b", "http://127.0.0.1:99999", "http://\u200b/"):
            sso.announced, sso.person["email"] = {name: address}, None
            provider_requests._remembered.clear()
            assert come_back(Browser(), sso) in ("/login?refused=failed", "/projects"), (name, address)


def test_a_signed_token_without_an_end_is_a_failed_sign_in_and_a_refused_sign_out(sso: Provider) -> None:
    signed = jws.serialize_compact({"alg": "RS256", "kid": sso.key.kid}, b"[" * 10_000, sso.key)
    sso.says["/token"] = ({}, json.dumps({"access_token": "x", "id_token": signed}).encode())
    assert come_back(Browser(), sso) == "/login?refused=failed"
    tell(signed, status=400)
