"""A draft on the fast path is answered and stored like one that goes through Django and the REST framework."""

from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from labeling.actions.labels import release_held_labels
from labeling.models import Label, Membership, Project, User
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round

BOUNDS = settings(max_examples=8, derandomize=True, database=None, deadline=None, suppress_health_check=[*HealthCheck])
DEEP: Any = orjson.loads("[" * 121 + "]" * 121)
DRAFTS: list[Any] = [
    {"content": {"ratings": [1, None, None]}, "updatedAt": 1795447761589},
    {"comment": "e\u0301 \U0001f600 <b>", "spans": []},
    {},
    {"comment": "x" * 9_000},
    {"nul": "\u0000"},
    {"deep": DEEP},
    [1, 2],
    None,
]
BODIES = st.one_of(
    st.builds(lambda draft, ahead: (draft, ahead), st.sampled_from(DRAFTS[:3]), st.sampled_from([0, 0, 0, -1, 1])),
    st.builds(lambda draft: (draft, 0), st.sampled_from(DRAFTS)),
)
EVENTS = ["leaves", "comes back", "is switched off", "is switched on", "is made an operator", "new password"]
EVENTS += ["log out", "gives back", "without csrf", "another host"]
STEPS = st.lists(st.one_of(BODIES, BODIES, st.sampled_from(EVENTS)), min_size=3, max_size=9)


class Labeler:
    """A labeler using the page (on the fast path where possible) or a client that accepts any format (never)."""

    def __init__(self, project: Project, accept: str) -> None:
        self.person = make_member(project)
        self.browser = Browser(self.person)
        self.accept = accept
        self.host = "testserver"
        claimed = self.browser.call("POST", f"/api/projects/{project.slug}/labels/claim", {})
        self.label = Label.objects.filter(pk=claimed["label"]["id"])
        self.revision = 0

    def send(self, label: int, draft: Any, revision: int) -> Any:
        """Send the request alone."""
        body = {"draft": draft, "base_revision": revision}
        headers = {"Accept": self.accept, "Host": self.host, **self.browser.csrf_header()}
        return self.browser.put(f"/api/labels/{label}/draft", body, content_type="application/json", headers=headers)

    def save(self, draft: Any, ahead: int) -> tuple[int, Any]:
        """Save a draft; return the result without values specific to this label and moment."""
        answer = self.send(self.label.get().pk, draft, self.revision + ahead)
        said = answer.json()
        self.revision = said.get("draft_revision", self.revision) if answer.status_code == 200 else self.revision
        held = said.pop("leased_until", None)
        apart = ("Vary", "Allow", "Content-Length", "X-Request-Id")
        sent = {name: value for name, value in answer.headers.items() if name not in apart}
        return answer.status_code, (said, held is not None, sent, self.stored())

    def stored(self) -> dict[str, Any]:
        """Return the columns of the label that a draft may change."""
        label = self.label.get()
        assert label.last_seen_at is not None
        return {"draft": label.draft, "revision": label.draft_revision, "status": label.status}

    def meet(self, event: str) -> None:
        """Apply an event to this person, their session or their label."""
        me, own = User.objects.filter(pk=self.person.pk), Membership.objects.filter(user=self.person)
        if event in ("leaves", "comes back"):
            own.update(is_active=event == "comes back")
        elif event in ("is switched off", "is switched on"):
            me.update(is_active=event == "is switched on")
        elif event == "is made an operator":
            me.update(is_superuser=True)
        elif event == "new password":
            me.update(password="another")
        elif event == "log out":
            Session.objects.filter(pk=self.browser.cookies["sessionid"].value).delete()
            self.browser.session.flush()
        elif event == "gives back":
            release_held_labels(self.person, self.label.get().project)
        elif event == "without csrf":
            self.browser.csrf = False
        else:
            self.host = "example.org"


@pytest.mark.django_db
@BOUNDS
@example([(DRAFTS[0], 0), "new password", (DRAFTS[0], 0)])
@example([(DRAFTS[0], 0), "log out", (DRAFTS[0], 0)])
@example([(DRAFTS[0], 0), "is switched off", (DRAFTS[0], 0), "is switched on", (DRAFTS[1], 0)])
@example([(DRAFTS[0], 0), "leaves", (DRAFTS[0], 0), "is made an operator", (DRAFTS[1], 0)])
@example([(DRAFTS[0], 0), "without csrf", (DRAFTS[1], 0)])
@example([(DRAFTS[0], 0), "another host", (DRAFTS[1], 0)])
@example([(draft, 0) for draft in DRAFTS])
@given(STEPS)
def test_both_ways_say_and_store_the_same_whatever_happens_in_between(steps: list[Any]) -> None:
    project = make_project()
    make_round(project, 2)
    page, other = Labeler(project, "application/json"), Labeler(project, "*/*")
    for step in steps:
        if isinstance(step, str):
            page.meet(step)
            other.meet(step)
        else:
            assert page.save(*step) == other.save(*step), step


@pytest.mark.django_db
def test_a_draft_of_the_page_is_one_statement_and_nobody_elses_label() -> None:
    project = make_project()
    make_round(project, 2)
    page, stranger = Labeler(project, "application/json"), Labeler(project, "application/json")
    label = page.label.get().pk
    with CaptureQueriesContext(connection) as asked:
        assert page.send(label, DRAFTS[0], 0).status_code == 200
    assert len(asked) == 1
    assert stranger.send(label, DRAFTS[1], 1).status_code == 404
    assert page.stored()["draft"] == DRAFTS[0]


@pytest.mark.django_db
def test_a_draft_renews_a_lease_of_which_half_a_minute_is_gone() -> None:
    """The lease's end is indexed: if every draft renewed it, each would write all indexes of the table."""
    project = make_project()
    make_round(project, 1)
    page = Labeler(project, "application/json")
    whole = timedelta(minutes=project.lease_minutes)
    ends = []
    for gone in (20, 40):
        page.label.update(leased_until=timezone.now() + whole - timedelta(seconds=gone))
        page.save(DRAFTS[0], 0)
        until = page.label.get().leased_until
        assert until is not None
        ends.append(until - timezone.now() - whole)
    assert timedelta(seconds=-30) < ends[0] < timedelta(seconds=-20)
    assert timedelta(seconds=-10) < ends[1] <= timedelta()
