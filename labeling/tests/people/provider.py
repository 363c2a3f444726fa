"""A small OpenID Connect provider for tests: discovery, keys, tokens and userinfo over HTTP, really signed."""

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from annotation_app import provider_requests

SECRET = "the client's secret"
Claims = dict[str, Any]


@cache
def _key(_which: int) -> RSAKey:
    """Return the key of each provider that runs beside others, made once: making it takes a tenth of a second."""
    return RSAKey.generate_key(2048, {"kid": "first", "use": "sig", "alg": "RS256"})


class Provider:
    """A provider. Everyone who signs in is `person`, with those claims. A test sets its behaviour here."""

    def __init__(self, which: int) -> None:
        self.person: Claims = {"sub": "ada", "email": "ada@example.org", "email_verified": True}
        self.userinfo: Claims = {}
        self.token_changes: Claims = {}
        self.key = _key(which)
        self.published = [self.key]
        self.announced: Claims = {}
        self.asked: dict[str, dict[str, str]] = {}
        self.redeemed: list[dict[str, str]] = []
        self.issuer = ""
        self.hangs: set[str] = set()  # paths at which it accepts connections and never answers
        self.drips: dict[str, bytes] = {}  # path -> what it sends there first, before endless blanks
        self.says: dict[str, tuple[Claims, bytes]] = {}  # path -> headers and body, for any request
        self.came: list[str] = []  # requested paths
        self.public = False  # whether the client has no secret, and names itself

    def discovery(self) -> Claims:
        """Return its description of itself."""
        at = {"authorization": "authorize", "token": "token", "userinfo": "userinfo", "end_session": "leave"}
        found = {f"{name}_endpoint": f"{self.issuer}/{path}" for name, path in at.items()}
        return {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **found, **self.announced}

    def authorize(self, asked: dict[str, str]) -> str:
        """Return the address to which the browser is sent back once the person has agreed."""
        code = f"code-{len(self.asked)}"
        self.asked[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def tokens(self, form: dict[str, str], authorization: str) -> Claims | None:
        """Return the tokens for a code, once. None if the client, its verifier or its address is wrong."""
        asked = self.asked.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        client = "Basic " + base64.b64encode(b"stepmark:the%20client%27s%20secret").decode()
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form["redirect_uri"]:
            return None
        told = form.get("client_id") == "stepmark" and not authorization if self.public else authorization == client
        if not told or asked["code_challenge_method"] != "S256":
            return None
        self.redeemed.append(asked)
        now = int(time.time())
        about = {"iss": self.issuer, "aud": "stepmark", "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {**about, **self.person, **self.token_changes}
        signed = jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)
        return {"access_token": "opaque", "token_type": "Bearer", "id_token": signed}


class Answers(BaseHTTPRequestHandler):
    """The handler of the provider's addresses."""

    provider: Provider

    def do_GET(self) -> None:
        """Answer discovery, keys, the page that asks the person (who always agrees), and userinfo."""
        asked = urlsplit(self.path)
        if self._does_otherwise(asked.path):
            return
        if asked.path == "/authorize":
            query = {name: values[0] for name, values in parse_qs(asked.query).items()}
            self.send_response(302)
            self.send_header("Location", self.provider.authorize(query))
            self.end_headers()
            return
        bearer = self.headers.get("Authorization") == "Bearer opaque"
        self._say(
            {
                "/.well-known/openid-configuration": self.provider.discovery(),
                "/keys": {"keys": [key.as_dict(private=False) for key in self.provider.published]},
                "/userinfo": {**self.provider.person, **self.provider.userinfo} if bearer else None,
                "/leave": {"left": True},
            }.get(asked.path)
        )

    def do_POST(self) -> None:
        """Answer at the token endpoint."""
        if self._does_otherwise(self.path):
            return
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self._say(self.provider.tokens(form, self.headers.get("Authorization", "")))

    def _does_otherwise(self, path: str) -> bool:
        self.provider.came.append(path)
        while path in self.provider.hangs:
            time.sleep(0.02)
        if path in self.provider.drips:
            with suppress(OSError):  # until the client hangs up
                self.wfile.write(self.provider.drips[path])
                while path in self.provider.drips:
                    time.sleep(0.1)
                    self.wfile.write(b" ")
            return True
        if path not in self.provider.says:
            return False
        about, body = self.provider.says[path]
        self.send_response(200)
        for name, value in about.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)
        return True

    def _say(self, what: Claims | None) -> None:
        self.send_response(400 if what is None else 200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        with suppress(ConnectionError):  # the client may have stopped waiting
            self.wfile.write(json.dumps(what or {"error": "invalid_grant"}).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def _forget() -> None:
    """Forget what is remembered of other providers: an earlier one may have had this one's address."""
    for known in (provider_requests._remembered, provider_requests._silent):
        known.clear()


@contextmanager
def running_provider(which: int = 0) -> Iterator[Provider]:
    """Run a provider at an address of its own. Each `which` has a key of its own."""
    provider = Provider(which)
    handler = type("Handler", (Answers,), {"provider": provider})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        provider.issuer = f"http://127.0.0.1:{server.server_port}"
        _forget()
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield provider
        server.shutdown()
        thread.join()
