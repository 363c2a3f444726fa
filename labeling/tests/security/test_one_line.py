"""Names are one line: in mails, notices, titles, the audit log and files, a second line could pass for another text."""

import importlib
import pkgutil
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.serializers import Serializer

from labeling.actions import notices, webhook_deliveries
from labeling.actions.digests import words_of
from labeling.actions.invitations import create_invitation, invited_text
from labeling.api import serializers
from labeling.api.one_line import OneLine
from labeling.formats.names import one_line
from labeling.models import Delivery, Invitation, Notice, Project
from labeling.queries.digests import Digest, OpenRound
from labeling.statistics.intervals import unknown
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_member, make_project, make_user
from labeling.tests.security.test_matrix import BODIES

pytestmark = pytest.mark.django_db

BREAKS = ["\r\n", "\n", "\r", "\t", "\x0b", "\x0c", "\x1b", "\x1e", "\x7f", "\x85", "\x9b", "\u2028", "\u2029"]
OWN = "projects/<slug:slug>"
SAID = "one line"
PATH_ROUND = {"generator": {"generator": "g", "model": "m"}}
AFTER = {"own_kinds": [{"code": "a", "title": "A"}]}
# The address, what is sent there, and the place of the name in it.
NAMED: list[tuple[str, dict[str, Any], tuple[str | int, ...]]] = [
    ("POST projects", {"slug": "made"}, ("name",)),
    (f"PATCH {OWN}", {}, ("name",)),
    (f"PATCH {OWN}", {"after_error": AFTER}, ("after_error", "own_kinds", 0, "title")),
    ("POST tokens", {}, ("name",)),
    ("POST session/factors/passkey/finish", {"credential": {}}, ("name",)),
    (f"POST {OWN}/label_views", {"filters": {}}, ("name",)),
    (f"POST {OWN}/label_changes", {"kind": "tag", "filters": {}}, ("tag",)),
    (f"POST {OWN}/evaluation_sets", BODIES[f"POST {OWN}/evaluation_sets"], ("name",)),
    *(
        (f"POST {OWN}/prms", BODIES[f"POST {OWN}/prms"], (key,))
        for key in ("name", "reference", "model", "learned_from")
    ),
    (f"POST {OWN}/releases", {"exports": [1]}, ("name",)),
    (f"POST {OWN}/rounds", {"source": "all"}, ("name",)),
    (f"POST {OWN}/rounds/start", {"k": 2}, ("name",)),
    (f"POST {OWN}/rounds/path", PATH_ROUND, ("name",)),
    (f"POST {OWN}/rounds/path", PATH_ROUND, ("generator", "model")),
    (f"POST {OWN}/sources", {"kind": "verifier"}, ("name",)),
    (f"POST {OWN}/training_runs", {"round_ids": [1], "base": "none"}, ("name",)),
]
UPLOADED = [(f"{OWN}/imports", "labels_of"), (f"{OWN}/imports", "marks_of")]
UPLOADED += [(f"{OWN}/score_imports", "name"), (f"{OWN}/score_imports", "learned_from")]


def put(body: Any, place: tuple[str | int, ...], value: str) -> Any:
    """Return the body with that value there."""
    if not place:
        return value
    if isinstance(place[0], int):
        return [put(one, place[1:], value) if at == place[0] else one for at, one in enumerate(body)]
    return {**body, place[0]: put(body.get(place[0], {}) if len(place) > 1 else None, place[1:], value)}


@pytest.fixture
def admin(settings: Any) -> Browser:
    settings.PASSKEYS = True
    return Browser(make_member(make_project("p"), "admin", is_superuser=True))


@pytest.mark.parametrize(
    ("route", "body", "place"), NAMED, ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else None
)
def test_a_name_that_is_typed_holds_no_break(admin: Browser, route: str, body: Any, place: Any) -> None:
    method, path = route.replace("<slug:slug>", "p").split()
    for end in BREAKS:
        named = put(body, place, f"Sums{end}Bcc: x@example.org")
        said = admin.call(method, f"/api/{path}", named, status=400)["fields"]
        for key in place:
            said = said[str(key)]
        assert SAID in said[0], repr(end)


@pytest.mark.parametrize(("path", "name"), UPLOADED)
def test_nor_does_one_that_comes_with_a_file(admin: Browser, path: str, name: str) -> None:
    for end in BREAKS:
        file = SimpleUploadedFile("new.jsonl", b"{}\n")
        about = {"format": "neutral"} if "labels_of" in name or "marks" in name else {"name": "N", "fingerprint": "f"}
        answer = admin.upload(f"/api/{path.replace('<slug:slug>', 'p')}", {"file": file, **about, name: f"a{end}b"})
        assert answer.status_code == 400
        assert SAID in answer.json()["fields"][name][0], repr(end)


def test_nor_does_the_name_of_who_joins(admin: Browser) -> None:
    path = admin.call("POST", "/api/projects/p/invitations", {"role": "annotator"}, status=201)["url_path"]
    body = {"username": "grace", "password": PASSWORD, "display_name": "Grace\nAn admin"}
    assert SAID in Browser().call("POST", f"/api{path}/accept", body, status=400)["fields"]["display_name"][0]
    joined = Browser().call("POST", f"/api{path}/accept", {**body, "display_name": "Grace H\n"})
    assert joined["user"]["display_name"] == "Grace H"


def of_requests() -> Iterator[tuple[str, str, Any]]:
    """Each field of a shape that comes in: the shape, the field's name, and it."""
    for module in pkgutil.iter_modules(serializers.__path__):
        for shape in vars(importlib.import_module(f"labeling.api.serializers.{module.name}")).values():
            if isinstance(shape, type) and issubclass(shape, Serializer) and shape.__name__.endswith("In"):
                yield from ((shape.__name__, name, field) for name, field in shape._declared_fields.items())


def test_no_field_for_a_name_takes_more_than_a_line() -> None:
    names = {"name", "title", "display_name", "labels_of", "marks_of", "learned_from"}
    found = [(shape, field) for shape, name, field in of_requests() if name in names]
    assert len(found) > 12
    others = {shape for shape, field in found if not isinstance(field, OneLine)}
    assert others == {"ForgotPasswordIn"}, "there it is looked for, and given to nothing"


def _never(*_: Any) -> Any:
    raise AssertionError("there is no webhook")


OLD = "Old\r\n\r\nPay here: https://example.org\u2028now"


def test_names_of_before_are_read_as_they_were_and_changed_to_better_ones(admin: Browser) -> None:
    Project.objects.update(name=OLD)
    assert admin.call("GET", "/api/projects/p")["name"] == OLD
    assert admin.call("PATCH", "/api/projects/p", {"lease_minutes": 20})["name"] == OLD
    assert admin.call("PATCH", "/api/projects/p", {"name": "New\n"})["name"] == "New"


def test_mails_and_notices_put_names_of_before_on_one_line(settings: Any) -> None:
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"
    project = make_project(name=OLD)
    ada = make_member(project, "admin", email="ada@example.org", display_name=OLD)
    invitation, _ = create_invitation(ada, project, role="annotator", email="b@example.org", days=1, mail=True)
    assert webhook_deliveries.deliver(Delivery.objects.get().pk, post=_never).status == "delivered"
    [sent] = mail.outbox
    line = one_line(OLD)
    assert line == "Old Pay here: https://example.org now"
    assert sent.body.startswith(f"{line} invites you to {line} as annotator.")
    assert sent.subject == f"[Stepmark] You are invited to {line}"
    assert "\r" not in sent.body
    assert invited_text(Invitation.objects.get(pk=invitation.pk), OLD).startswith(f"{line} invites you")
    done = {"done": dict.fromkeys(("value", "low", "high"))}
    week = Digest(date(2026, 11, 16), date(2026, 11, 22), 0, 0, 0, unknown(0), [OpenRound(1, OLD, 0, 3)], done)
    assert f"Round 1 ({line}): 0 labels so far, 3 more wanted." in words_of(week)
    bob = make_user(email="bob@example.org")
    notices.notify(project, "paused", event="e", title=f"You are paused in {OLD}", text="x", people=[bob])
    assert Notice.objects.get(person=bob).title == f"You are paused in {line}"
