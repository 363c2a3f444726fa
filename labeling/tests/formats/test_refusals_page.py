"""docs/refusals.md lists the codes that exist in the code."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from annotation_app.refusals_page import PAGE, refusals_page
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project

# Where the server refuses before, or in addition to, the product's own rules.
OF_THE_SERVER = ("annotation_app/exception_handler.py", "annotation_app/server/bodies.py", "annotation_app/json_api.py")


def codes_told() -> dict[str, set[int]]:
    told: dict[str, set[int]] = {}
    for code, status in re.findall(r"^\| `(\w+)` \| (\d+) \|", PAGE.read_text(), re.MULTILINE):
        told.setdefault(code, set()).add(int(status))
    return told


def test_the_page_of_refusals_is_made_from_the_classes() -> None:
    assert refusals_page() == PAGE.read_text(), "Run: make refusals"


def test_every_code_that_the_server_writes_itself_is_told() -> None:
    written = "\n".join((Path(settings.BASE_DIR) / name).read_text() for name in OF_THE_SERVER)
    codes = set(re.findall(r'code"?\s*[:=]\s*"(\w+)"', written))
    assert {"unavailable", "took_too_long", "too_slow"} <= codes <= set(codes_told())


@pytest.mark.django_db
def test_what_a_request_is_answered_stands_on_the_page_with_its_status() -> None:
    project = make_project("algebra")
    labeler, nobody = Browser(make_member(project, "annotator")), Browser()
    told = codes_told()
    for browser, method, path, body in (
        (labeler, "POST", "/api/projects/algebra/members", {}),
        (labeler, "PATCH", "/api/projects/algebra", {"name": "x"}),
        (labeler, "GET", "/api/projects/unknown", None),
        (labeler, "POST", "/api/tokens", {}),
        (nobody, "GET", "/api/projects", None),
    ):
        answer = browser.send(method, path, body)
        assert answer.status_code in told[answer.json()["code"]], (method, path, answer.json())
