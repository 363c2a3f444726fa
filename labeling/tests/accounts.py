"""Browsers and programs for tests of the API: each sends what the real one sends."""

import itertools
import json
from functools import cache
from typing import Any

from django.core.signals import setting_changed
from django.test import Client
from django.test.client import ClientHandler

from labeling.actions.api_tokens import create_token
from labeling.models import User
from labeling.tests.conformance import check_response

PASSWORD = "a long enough sentence 7"
COUNT = itertools.count(1)
# Settings that tests change and that no middleware reads when it is made.
READ_WHEN_NEEDED = {
    "ALLOWANCES",
    "AXES_FAILURE_LIMIT",
    "DATA_DIR",
    "FILE_UPLOAD_TEMP_DIR",
    "GENERATORS",
    "MODELS_DIR",
    "PASSWORD_HASHERS",
    "PRM_SERVERS",
    "TRAINING_BASES",
    "UPLOAD_LIMIT",
    "WEBHOOK_HOSTS",
}


@cache
def server() -> ClientHandler:
    """Return the one handler of all clients, as in production: making its middleware reads all files of the page."""
    return ClientHandler(enforce_csrf_checks=True)


def _start_anew(*, setting: str, **_: Any) -> None:
    """Make the handler again, because middleware reads the settings when it is made."""
    if setting not in READ_WHEN_NEEDED:
        server.cache_clear()


setting_changed.connect(_start_anew)


class HeldToSchema(Client):
    """A client that checks each answer of the API against its schema."""

    def request(self, **request: Any) -> Any:
        """Return the checked answer. Raises Undescribed."""
        self.handler = server()
        response = super().request(**request)
        check_response(response)
        return response


class Browser(HeldToSchema):
    """A browser: cookies, the CSRF header as our page sends it, JSON both ways. Each has its own address."""

    def __init__(self, person: User | None = None, *, csrf: bool = True) -> None:
        number = next(COUNT)
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        super().__init__(enforce_csrf_checks=True, REMOTE_ADDR=address)
        self.csrf = csrf
        if person is not None:
            self.force_login(person)
        if csrf:
            self.get("/api/session")

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Send one request with a JSON body (bytes are sent as they are)."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        accept = {} if body is None else {"Accept": "application/json"}  # as our page does when it writes
        headers = {**accept, **self.csrf_header()}
        return self.generic(method, path, data, content_type="application/json", headers=headers)

    def upload(self, path: str, fields: dict[str, Any]) -> Any:
        """Send a form with files in it."""
        return self.post(path, fields, headers=self.csrf_header())

    def csrf_header(self) -> dict[str, str]:
        """Return the header that our page's script adds to a write."""
        return {"X-CSRFToken": self.cookies["csrftoken"].value} if self.csrf else {}

    def call(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        """Return the JSON answer of a request that must end in `status`."""
        response = self.send(method, path, body)
        assert response.status_code == status, (method, path, response.status_code, response.content[:600])
        return response.json()


class Program(HeldToSchema):
    """A program with an API token of the person: the token `secret`, or a new one with all rights."""

    def __init__(self, person: User, *, secret: str = "") -> None:
        self.secret = secret or create_token(person, "test")[1]
        super().__init__(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {self.secret}"})

    def call(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        """Return the JSON answer of a request that must end in `status`."""
        response = self.generic(method, path, json.dumps(body or {}).encode(), content_type="application/json")
        assert response.status_code == status, (method, path, response.status_code, response.content[:600])
        return response.json()
