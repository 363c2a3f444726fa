"""Whatever is sent, no response is a 500 or undescribed by the schema: requests generated from it, and known bad
ones.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client, override_settings
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as bounds
from schemathesis import GenerationMode
from schemathesis.schemas import BaseSchema

from labeling.actions.api_tokens import create_token
from labeling.api.schema import OneDocument
from labeling.api.throttles import InvitationThrottle, LoginThrottle, StartThrottle
from labeling.tests.accounts import Browser
from labeling.tests.conformance import check_answer
from labeling.tests.security.conftest import Homes
from labeling.tests.security.test_matrix import BODIES, OPERATIONS, ROWS, UPLOADS
from labeling.tests.security.world import Home, Operation, placeholders

pytestmark = pytest.mark.django_db

BOUNDED = bounds(
    max_examples=10,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)

HOSTILE = [
    b'"\\u0000"',
    b'"a\\u0000b"',
    b'"\\ud800"',
    b'"\xed\xa0\x80"',
    b'"\xff"',
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"1e308",
    b"1" + b"0" * 5000,
    b"99999999999999999999",
    b"-99999999999999999999",
    b"9223372036854775807",
    b"0.5",
    b"null",
    b"true",
    b'""',
    b"[]",
    b"{}",
    b'{"\\u0000": 1}',
    b'[{"a": [null]}]',
    b"[" * 3000 + b"]" * 3000,
    b'"' + b"x" * 300_000 + b'"',
    '"\u202e\u0007\U0010ffff\u2028"'.encode(),
    '"²"'.encode(),  # a digit to isdigit, and none to int
    '"１２３４５６"'.encode(),
]
# They ask for ids in the query, where the fuzzer guesses none that exists; or let superusers in alone; or those whom a
# sign-in provider sent back.
NOT_LET_IN = {"compare_evaluations", "trace_labeler", "get_site", "get_machine_report", "finish_sign_in"}
NOT_LET_IN |= {"compare_rounds", "get_site_retention", "get_person_data"}
# What asks for nothing but ids in the query: with those, which the fuzzer hits where numbers are small, it is let in.
NAMED = {"get_promotion_news": {"prm": "prm_id"}, "get_waiting": {"kind": "round", "id": "round_id"}}
NEVER_TAKEN = HOSTILE[:8] + [b'{"\\u0000": 1}', HOSTILE[21]]  # no valid JSON, or nothing Postgres can keep
HOSTILE_TEXTS = ["%00", "%FF", "%ED%A0%80", "9" * 30, "-1", "1e5", "'", "%25", "x" * 5000, "%F0%9F%92%A9", "%2E%2E%2F"]
HOSTILE_TEXTS += ["%C2%B2", "%EF%BC%91", "%D9%A1,%C2%B2"]  # ², １ and ١: digits to isdigit, or to int


@contextmanager
def connection_lasts() -> Iterator[None]:
    """As in Django's own test client: a request does not close the connection of the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def schema(django_db_setup: None, django_db_blocker: Any) -> BaseSchema:
    # The homes may be there by now, in a transaction that all their tests share.
    with django_db_blocker.unblock(), override_settings(PUBLIC_SCHEMA=True), connection_lasts():
        return schemathesis.openapi.from_wsgi("/api/schema", get_wsgi_application())


@pytest.fixture
def lasting_connection() -> Iterator[None]:
    """For tests that use something other than Django's test client."""
    with connection_lasts():
        yield


@pytest.fixture
def home(homes: Homes, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Home:
    """A project whose `owner` is also an admin: the person with the most access, and hundreds of requests per
    minute.
    """
    for throttle in (InvitationThrottle, LoginThrottle, StartThrottle):  # counted, transaction or not
        monkeypatch.setattr(throttle, "rate", "100000/min")
    settings.ALLOWANCES = dict.fromkeys(settings.ALLOWANCES, 0)
    homes.own.people["owner"].memberships.update(role="admin")
    return homes.own


@pytest.fixture
def owner(home: Home, homes: Homes) -> Browser:
    """Their browser."""
    return homes.browser("owner")


def test_the_schema_describes_every_address_of_the_api(schema):
    described = {f"{result.ok().method.upper()} {result.ok().path}" for result in schema.get_all_operations()}
    assert described == {f"{o.method} {_template(o)}" for o in OPERATIONS} - {"GET /api/schema"}


def test_the_schema_is_the_same_for_everybody_and_made_once(owner, settings):
    refused = Client().get("/api/schema")
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")
    settings.PUBLIC_SCHEMA = True
    answers = [
        browser.get(f"/api/schema{query}", headers={"Accept": accepted})
        for browser in (Client(), owner)
        for query in ("", "?version=7", "?lang=de")
        for accepted in ("*/*", "application/json")
    ]
    assert {answer.content for answer in answers} == {orjson.dumps(OneDocument().get_schema())}
    assert len({id(answer.data) for answer in answers}) == 1
    assert {answer.headers["Content-Type"] for answer in answers} == {
        "application/vnd.oai.openapi+json",
        "application/json",
    }


@pytest.mark.slow
@pytest.mark.usefixtures("lasting_connection")
@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.name != "schema"], ids=lambda o: o.key)
def test_what_the_schema_allows_and_what_it_does_not_end_without_a_500(schema, home, homes, operation):
    headers = {"Authorization": f"Bearer {create_token(home.people['owner'], 'fuzz')[1]}"}
    ids = {name: _id_of(home, operation, name) for _, name in placeholders(operation.route)}
    described = schema[_template(operation)][operation.method]
    allowed = _answers(described, GenerationMode.POSITIVE, ids, headers)
    if described.body or described.query:
        _answers(described, GenerationMode.NEGATIVE, ids, headers)
    if operation.name in NAMED:  # the last request: after Django's own client the next would close the connection
        about = {key: home.ids.get(name, name) for key, name in NAMED[operation.name].items()}
        allowed.add(homes.browser("owner").get(f"{home.path(operation)}?{urlencode(about)}").status_code)
    if operation.method == "GET" and operation.name not in NOT_LET_IN:
        assert 200 in allowed, "the fuzzer never got in"


def _answers(described: Any, mode: GenerationMode, ids: dict[str, Any], headers: dict[str, str]) -> set[int]:
    seen = set()

    @BOUNDED
    @given(case=described.as_strategy(mode, path_parameters=ids, headers=headers))
    def send(case: schemathesis.Case) -> None:
        with transaction.atomic():
            answer = case.call(headers=headers)
            transaction.set_rollback(True)
        assert answer.status_code < 500, case.as_curl_command()
        [kind] = answer.headers["content-type"]
        check_answer(described.method.upper(), described.path, answer.status_code, kind, answer.content)
        seen.add(answer.status_code)

    send()
    return seen


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.key in BODIES], ids=lambda o: o.key)
def test_a_hostile_value_in_any_field_is_refused_and_breaks_nothing(home, owner, operation):
    path = home.path(operation)
    for name in [*BODIES[operation.key], "unknown"]:
        for value in HOSTILE:
            answer = _send(owner, operation, path, _with(BODIES[operation.key], name, value))
            assert answer.status_code < 500, (name, value[:40], answer.content[:300])
            if value in NEVER_TAKEN:
                assert answer.status_code == 400, (name, value[:40], answer.content[:300])


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.key in BODIES], ids=lambda o: o.key)
def test_a_body_that_is_no_object_is_refused_and_breaks_nothing(home, owner, operation):
    path = home.path(operation)
    for body in (b"", b"{", b"[]", b'"text"', b"3", b"null", b"\xff\xfe", b"\xef\xbb\xbf{}", b'{"a":1}{}'):
        assert _send(owner, operation, path, body).status_code < 500, body


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.method == "GET"], ids=lambda o: o.key)
def test_a_hostile_query_breaks_nothing(schema, home, owner, operation):
    names = [] if operation.name == "schema" else [p.name for p in schema[_template(operation)]["GET"].query]
    for name in [*names, "unknown"]:
        for text in HOSTILE_TEXTS:
            answer = _send(owner, operation, f"{home.path(operation)}?{name}={text}", None)
            assert answer.status_code < 500, (name, text, getattr(answer, "content", b"")[:300])


@pytest.mark.parametrize("route", [key for key in ROWS if key.startswith("GET ") and "<" in key])
def test_a_hostile_address_is_not_found_and_breaks_nothing(homes, route):
    browser = homes.browser("superuser")
    for text in [*HOSTILE_TEXTS, "a%0d%0aSet-Cookie:x=1", "..%2f..%2fadmin", "%3Cscript%3E"]:
        for converter, name in placeholders(route):
            path = route.removeprefix("GET ").replace(f"<{converter}:{name}>", text)
            for other, left in placeholders(path):
                path = path.replace(f"<{other}:{left}>", "1")
            assert browser.get(f"/api/{path}").status_code == 404, text


def test_a_body_beyond_the_limit_is_refused_before_it_is_read_to_its_end(owner):
    answer = owner.send("POST", "/api/tokens", b'{"name": "' + b"x" * (8 * 2**20) + b'"}')
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def _template(operation: Operation) -> str:
    path = operation.route
    for converter, name in placeholders(path):
        path = path.replace(f"<{converter}:{name}>", f"{{{name}}}")
    return f"/api/{path}"


def _id_of(home: Home, operation: Operation, name: str) -> Any:
    own = f"{operation.name}.{name}"
    return home.ids[own if own in home.ids else name]


def _with(body: dict[str, Any], name: str, value: bytes) -> bytes:
    marked = json.dumps({**body, name: "@@here@@"}).encode()
    return marked.replace(b'"@@here@@"', value)


def _send(browser: Browser, operation: Operation, path: str, body: bytes | None) -> Any:
    assert operation.key not in UPLOADS
    with transaction.atomic():
        answer = browser.send(operation.method, path, body)
        transaction.set_rollback(True)
    return answer
