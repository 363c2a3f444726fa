"""An open page belongs to the person who opened it: another person who logs in in the same browser is not mistaken for
them.
"""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.models import AuditEvent, Label, Project, User
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import make_member, make_project, make_round

pytestmark = pytest.mark.django_db
PAGES_PERSON = "HTTP_X_STEPMARK_PERSON"
DRAFT = {"draft": {"content": {"ratings": [1, None, None]}}, "base_revision": 0}


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_round(project, 3)
    return project


@pytest.fixture
def ada(project: Project) -> User:
    return make_member(project, username="ada", password=PASSWORD)


@pytest.fixture
def bert(project: Project) -> User:
    return make_member(project, username="bert", password=PASSWORD)


def claim(browser: Browser, project: Project) -> int:
    label: int = browser.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]["id"]
    return label


def submission() -> dict[str, Any]:
    return {"idempotency_key": str(uuid4()), "finish_reason": "solution", "ratings": [1, 1, 1]}


def requests_for(project: Project, label: int) -> list[tuple[str, str, Any]]:
    """The page's requests: the frequent ones of labeling, and some of each other kind."""
    return [
        ("POST", f"/api/projects/{project.slug}/labels/claim", {}),
        ("PUT", f"/api/labels/{label}/draft", DRAFT),
        ("POST", f"/api/labels/{label}/submit", submission()),
        ("GET", f"/api/labels/{label}", None),
        ("GET", "/api/projects", None),
        ("GET", "/api/session", None),
        ("PUT", "/api/session/preferences", {"preferences": {"density": "compact"}}),
        ("POST", "/api/session/logout", None),
    ]


def everything() -> list[Any]:
    """What a request could have changed."""
    shown = ("pk", "labeler", "status", "draft", "draft_revision", "leased_until", "submitted_at")
    labels, people = Label.objects.order_by("pk"), User.objects.order_by("pk")
    return [*labels.values_list(*shown), *people.values_list("preferences"), AuditEvent.objects.count()]


@pytest.mark.parametrize("whose_label", ["the one who is logged in", "the one whose page it is"])
def test_nothing_is_done_for_a_page_of_somebody_else(project, ada, bert, whose_label):
    page, other = Browser(bert), Browser(ada)
    label = claim(page if whose_label == "the one who is logged in" else other, project)
    before = everything()
    page.defaults[PAGES_PERSON] = str(ada.pk)
    for method, path, body in requests_for(project, label):
        said = page.call(method, path, body, status=401)
        assert said == {
            "code": "other_person",
            "detail": "Somebody else has logged in in this browser. Load the page again.",
        }, path
    assert everything() == before
    del page.defaults[PAGES_PERSON]
    assert page.call("GET", "/api/session")["user"]["id"] == bert.pk, "and they stay logged in"


def test_the_first_request_of_a_session_is_looked_at_as_well(project, ada, bert):
    """Django finds whose it is; from the second one on the process knows."""
    label = claim(Browser(ada), project)
    for method, path, body in requests_for(project, label):
        page = Browser()
        page.force_login(bert)
        page.defaults[PAGES_PERSON] = str(ada.pk)
        assert page.call(method, path, body, status=401)["code"] == "other_person", path


def test_a_page_of_who_is_logged_in_works_as_one_that_does_not_say(project, ada):
    page = Browser(ada)
    page.defaults[PAGES_PERSON] = str(ada.pk)
    label = claim(page, project)
    assert page.call("PUT", f"/api/labels/{label}/draft", DRAFT)["draft_revision"] == 1
    assert page.call("POST", f"/api/labels/{label}/submit", submission())["label"]["status"] == "submitted"
    assert page.call("POST", "/api/session/logout")["user"] is None


def test_to_say_whose_page_it_is_costs_no_question_to_the_database(project, ada, bert):
    asked: dict[bool, list[int]] = {}
    for says, person in ((False, ada), (True, bert)):
        page = Browser(person)
        page.call("GET", "/api/projects")
        if says:
            page.defaults[PAGES_PERSON] = str(person.pk)
        label = claim(page, project)
        asked[says] = []
        for method, path, body in requests_for(project, label)[:3]:
            with CaptureQueriesContext(connection) as queries:
                page.call(method, path, body)
            asked[says].append(len(queries))
    assert asked[True] == asked[False]
    assert asked[True][1] == 1, "a draft is one statement"


@pytest.mark.parametrize("named", ["ada", "", "-1", "1.0", "1, 2", "9" * 40, "²"])
def test_a_header_that_is_no_id_is_refused(project, ada, named):
    page = Browser(ada)
    label = claim(page, project)
    page.defaults[PAGES_PERSON] = named
    for method, path, body in requests_for(project, label):
        said = page.call(method, path, body, status=400)
        assert said["code"] == "invalid"
        assert "X-Stepmark-Person" in said["detail"]
    assert Label.objects.get().draft_revision == 0


def test_a_program_has_no_page_and_a_stranger_is_asked_to_log_in(ada, bert):
    program = Program(ada)
    program.defaults[PAGES_PERSON] = str(bert.pk)
    assert program.call("GET", "/api/session")["user"]["id"] == ada.pk
    stranger = Browser()
    stranger.defaults[PAGES_PERSON] = str(bert.pk)
    assert stranger.call("GET", "/api/projects", status=401)["code"] == "not_authenticated"
    body = {"username": "ada", "password": PASSWORD}
    assert stranger.call("POST", "/api/session/login", body)["user"]["id"] == ada.pk


def test_what_waited_while_somebody_else_was_logged_in_is_taken_as_its_persons(project, ada, bert):
    browser, waiting = Browser(), submission()
    log_in(browser, "ada")
    label = claim(browser, project)
    browser.call("POST", "/api/session/logout")
    log_in(browser, "bert")
    claim(browser, project)
    path = f"/api/labels/{label}/submit"
    browser.defaults[PAGES_PERSON] = str(ada.pk)
    assert browser.call("POST", path, waiting, status=401)["code"] == "other_person"
    del browser.defaults[PAGES_PERSON]
    browser.call("POST", "/api/session/logout")
    log_in(browser, "ada")
    browser.defaults[PAGES_PERSON] = str(ada.pk)
    assert browser.call("POST", path, waiting)["label"]["status"] == "submitted"
    assert list(Label.objects.filter(status="submitted").values_list("labeler", flat=True)) == [ada.pk]


def log_in(browser: Browser, name: str) -> None:
    browser.call("POST", "/api/session/login", {"username": name, "password": PASSWORD})
