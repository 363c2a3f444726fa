"""Webhooks, with a real server: requests are signed and arrive, and nothing is sent to forbidden addresses."""

import hashlib
import hmac
import json
import logging
import ssl
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from django.utils import timezone

from labeling.actions import notices, webhook_deliveries
from labeling.actions.webhook_deliveries import PAUSES, DeliveryRefused
from labeling.models import Delivery, Webhook
from labeling.tests.factories import make_project
from labeling.webhook_address import host_of, is_public
from worker.webhooks import WebhookTransport

HOST = "hooks.example.org"
IDENTITY = Path(__file__).with_name("webhook_receiver.pem")


class Receiver(HTTPServer):
    """Records every request it gets, and answers with `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(IDENTITY)
        self.socket = tls.wrap_socket(self.socket, server_side=True)
        tls.sni_callback = lambda _, name, __: self.names.append(name)
        self.status = 200
        self.drips, self.floods, self.flooded, self.sent = "", False, Event(), 0
        self.names: list[str | None] = []
        self.got: list[tuple[str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        """Its address as an admin would enter it."""
        return f"https://{HOST}:{self.server_port}/stepmark?team=1"

    def handle_error(self, *_: Any) -> None:
        """Ignore callers that disconnect because they do not trust us, as some tests intend."""


class Answer(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        if self.server.drips:
            return self.drip(self.server.drips)
        if self.server.floods:
            return self.flood()
        self.send_response(self.server.status)
        if 300 <= self.server.status < 400:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()
        return None

    def drip(self, part: str) -> None:
        """Begin an answer, then send a byte at a time forever."""
        begin = b"HTTP/1.1 200 OK\r\n"
        said = {
            "status": (b"H", b"T"),
            "header": (begin + b"X-Long: ", b"a"),
            "body": (begin + b"\r\n", b"a"),  # without a length, it ends with the connection
            "chunked": (begin + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
            "garbage": (b"\x00\x01\r\n\r\n", b"\r\n"),
            "nothing": (b"", b""),
        }
        first, then = said[part]
        self.wfile.write(first)
        with suppress(OSError):  # until the other side disconnects
            for _ in range(30):
                sleep(0.05)
                self.wfile.write(then)

    def flood(self) -> None:
        """Send an answer of a gigabyte, as far as it is read."""
        self.send_response(200)
        self.send_header("Content-Length", str(2**30))
        self.end_headers()
        try:
            for _ in range(2**14):
                self.wfile.write(b"a" * 2**16)
                self.server.sent += 2**16
        except OSError:
            self.server.flooded.set()

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def transport(**changed: Any) -> WebhookTransport:
    """Allow only the receiver on this machine."""
    settings = {
        "hosts": [HOST],
        "is_allowed": lambda address: address == "127.0.0.1",
        "addresses": lambda host, port: ["127.0.0.1"],
        "tls": ssl.create_default_context(cafile=str(IDENTITY)),
    }
    return WebhookTransport(**{**settings, **changed})


@pytest.fixture
def hook(receiver: Receiver) -> Webhook:
    return Webhook.objects.create(project=make_project(), url=receiver.url, kinds=["round_finished"])


def told(hook: Webhook) -> Delivery:
    about = {"event": "round_finished:1", "title": "Labeled", "text": "All.", "facts": {"round": 1}}
    notices.notify(hook.project, "round_finished", **about)
    notices.notify(hook.project, "paused", **{**about, "event": "paused:1"})  # a kind that it did not subscribe to
    return Delivery.objects.get(webhook=hook)


@pytest.mark.django_db
def test_a_message_arrives_signed_with_the_secret_and_the_time_and_is_sent_once(receiver, hook):
    delivery = told(hook)
    sent = webhook_deliveries.deliver(delivery.pk, transport().post)
    assert (sent.status, sent.attempts, sent.last_error) == ("delivered", 1, "")
    assert webhook_deliveries.deliver(delivery.pk, transport().post) is None
    [(path, headers, body)] = receiver.got
    assert path == "/stepmark?team=1"
    assert json.loads(body)["facts"] == {"round": 1}
    assert json.loads(body)["id"] == headers["Stepmark-Delivery"] == str(delivery.number)
    at, signature = (part.split("=")[1] for part in headers["Stepmark-Signature"].split(","))
    secret = webhook_deliveries.secret_of(hook)
    assert signature == hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert abs(int(at) - timezone.now().timestamp()) < 600


@pytest.mark.django_db
def test_what_is_not_taken_is_sent_again_later_and_later_and_then_given_up(receiver, hook):
    delivery = told(hook)
    receiver.status = 503
    now = timezone.now() + timedelta(seconds=1)
    for pause in PAUSES:
        failed = webhook_deliveries.deliver(delivery.pk, transport().post, now)
        assert (failed.status, failed.next_at) == ("waiting", now + pause)
        assert "503" in failed.last_error
        assert webhook_deliveries.deliver(delivery.pk, transport().post, now) is None  # not due yet
        now += pause
    assert webhook_deliveries.deliver(delivery.pk, transport().post, now).status == "failed"
    assert {headers["Stepmark-Delivery"] for _, headers, _ in receiver.got} == {str(delivery.number)}
    receiver.status = 200
    webhook_deliveries.retry_delivery(failed)
    assert webhook_deliveries.deliver(delivery.pk, transport().post).status == "delivered"


@pytest.mark.django_db
def test_two_workers_do_not_send_one_message_at_the_same_time(hook):
    delivery = told(hook)
    inner = []

    def post(*_: Any) -> None:
        inner.append(webhook_deliveries.deliver(delivery.pk, post))

    webhook_deliveries.deliver(delivery.pk, post)
    assert inner == [None]


def test_this_machine_is_refused_by_the_transport_of_the_product(receiver):
    with pytest.raises(DeliveryRefused, match="not public"):
        transport(is_allowed=is_public).post(receiver.url, b"{}", {})
    assert receiver.got == []


def test_a_name_with_one_private_address_is_refused_and_a_name_is_resolved_once(receiver):
    with pytest.raises(DeliveryRefused, match="not public"):
        transport(is_allowed=is_public, addresses=lambda *_: ["93.184.215.14", "127.0.0.1"]).post(
            receiver.url, b"{}", {}
        )
    asked: list[str] = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    transport(addresses=rebinding).post(receiver.url, b"{}", {})
    assert (asked, len(receiver.got)) == ([HOST], 1)


def test_redirects_other_hosts_plain_http_and_unknown_certificates_are_refused(receiver):
    receiver.status = 307
    with pytest.raises(DeliveryRefused, match="redirects are not followed"):
        transport().post(receiver.url, b"{}", {})
    assert [path for path, *_ in receiver.got] == ["/stepmark?team=1"]
    for url in (receiver.url.replace(HOST, "other.example.org"), receiver.url.replace("https", "http")):
        with pytest.raises(DeliveryRefused, match="not on this site's list"):
            transport().post(url, b"{}", {})
    with pytest.raises(DeliveryRefused, match="CERTIFICATE_VERIFY_FAILED"):
        transport(tls=ssl.create_default_context()).post(receiver.url, b"{}", {})
    assert len(receiver.got) == 1


def test_the_certificate_must_be_the_host_s_and_not_the_address_s(receiver):
    other = receiver.url.replace(HOST, "other.example.org")
    with pytest.raises(DeliveryRefused, match="(?i)hostname mismatch"):
        transport(hosts=["other.example.org"]).post(other, b"{}", {})
    assert receiver.got == []
    transport().post(receiver.url, b"{}", {})
    assert receiver.names == ["other.example.org", HOST], "each host is named in the handshake"
    assert receiver.got[0][1]["Host"] == f"{HOST}:{receiver.server_port}"


def test_no_proxy_of_the_environment_is_used(receiver, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    transport().post(receiver.url, b"{}", {})
    assert len(receiver.got) == 1


@pytest.mark.parametrize("part", ["status", "header", "body", "chunked"])
def test_an_answer_that_drips_ends_in_time(receiver, part):
    receiver.drips = part
    began = monotonic()
    with pytest.raises(DeliveryRefused, match="did not finish its answer within 0.5 s"):
        transport(most_seconds=0.5).post(receiver.url, b"{}", {})
    assert monotonic() - began < 3


def test_a_receiver_that_is_silent_is_given_up(receiver):
    receiver.drips = "nothing"
    with pytest.raises(DeliveryRefused, match="timed out"):
        transport(seconds=0.3).post(receiver.url, b"{}", {})


def test_of_a_long_answer_only_the_beginning_is_read(receiver):
    receiver.floods = True
    transport().post(receiver.url, b"{}", {})
    assert receiver.flooded.wait(5)
    assert receiver.sent < 2**24


def test_what_is_not_http_is_refused(receiver):
    receiver.drips = "garbage"
    with pytest.raises(DeliveryRefused, match="not HTTP"):
        transport().post(receiver.url, b"{}", {})


def test_the_address_of_a_webhook_is_in_no_log(receiver, caplog):
    caplog.set_level(logging.DEBUG)
    transport().post(receiver.url, b"{}", {})
    assert "team" not in caplog.text
    assert HOST not in caplog.text


@pytest.mark.django_db
def test_what_is_sent_verifies_as_a_standard_webhook(receiver, hook):
    """Verify as a library of https://www.standardwebhooks.com does, with the secret as we show it."""
    webhook_deliveries.deliver(told(hook).pk, transport().post)
    [(_, headers, body)] = receiver.got
    key = b64decode(webhook_deliveries.secret_of(hook).removeprefix("whsec_"), validate=True)
    assert 24 <= len(key) <= 64
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert headers["webhook-id"] == headers["Stepmark-Delivery"]
    assert f"t={headers['webhook-timestamp']}," in headers["Stepmark-Signature"]


@pytest.mark.parametrize(
    ("address", "public"),
    [
        *[(address, True) for address in ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "1.1.1.1")],
        *[(address, False) for address in ("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254")],
        *[(address, False) for address in ("0.0.0.0", "100.64.0.1", "224.0.0.1", "255.255.255.255", "198.18.0.1")],
        *[(address, False) for address in ("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1")],
        *[(address, False) for address in ("::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1")],
        *[(address, False) for address in ("fec0::1", "3fff::1", "3fff:fff::1", "192.88.99.1", "::ffff:192.88.99.1")],
        *[(address, False) for address in ("2001:db8::1", "2001:0:7f00:1::", "localhost", "", "0x7f000001")],
    ],
)
def test_only_addresses_of_the_open_internet_are_public(address, public):
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://hooks.example.org/a?b=c", "hooks.example.org"),
        ("https://HOOKS.example.org:8443", "hooks.example.org"),
        ("http://hooks.example.org/", None),
        ("https://user:password@hooks.example.org/", None),
        ("https://allowed.org\\@evil.org/", None),
        ("https://hooks.example.org/a b", None),
        ("https://hooks.example.org/\r\nX: y", None),
        ("https://hooks.example.org:99999/", None),
        ("https://hooks.examplе.org/", None),  # a Cyrillic letter
        ("//hooks.example.org", None),
        ("https://", None),
        ("file:///etc/passwd", None),
    ],
)
def test_the_host_of_an_address_is_what_a_client_would_connect_to(url, host):
    assert host_of(url) == host


@pytest.mark.django_db
def test_slack_is_sent_a_text_in_which_names_stay_names(receiver, hook, settings):
    """As in https://docs.slack.dev, `&`, `<` and `>` are escaped: a round's name cannot notify a channel."""
    settings.SITE_URL = "https://label.example.org"
    hook.format = "slack"
    hook.save()
    hook.project.name = "R&D <!channel>"
    hook.project.save()
    about = {"title": "<https://evil.example|Log in> is labeled", "text": "All 3.", "path": "/projects/p/rounds/1?a&b"}
    notices.notify(hook.project, "round_finished", event="round_finished:1", **about)
    sent = webhook_deliveries.deliver(Delivery.objects.get(webhook=hook).pk, transport().post)
    assert sent.status == "delivered"
    [(_, headers, body)] = receiver.got
    assert headers["Content-Type"] == "application/json"
    assert json.loads(body) == {
        "text": "*R&amp;D &lt;!channel&gt;: &lt;https://evil.example|Log in&gt; is labeled*\n"
        "All 3.\n<https://label.example.org/projects/p/rounds/1?a&amp;b|Open in Stepmark>"
    }


@pytest.mark.django_db
def test_slack_is_called_by_the_rules_of_every_webhook(receiver, hook):
    hook.format = "slack"
    hook.save()
    told(hook)
    delivery = Delivery.objects.get(webhook=hook)
    with pytest.raises(DeliveryRefused, match="not on this site's list"):
        transport(hosts=["hooks.slack.com"]).post(hook.url, b"{}", {})
    sent = webhook_deliveries.deliver(delivery.pk, transport(is_allowed=is_public).post)
    assert (sent.status, receiver.got) == ("waiting", [])
    assert "not public" in sent.last_error
