"""A project's weekly digest: sent once to those who asked for it, with the same figures as Home."""

import threading
from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest import mock

import pytest
from django.core import mail
from django.db import connection, transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import notices, webhook_deliveries
from labeling.actions.digests import tell_digests, words_of
from labeling.models import Delivery, Membership, Notice, Project, Task, User, Webhook
from labeling.queries.digests import Digest, OpenRound
from labeling.statistics.intervals import Estimate
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_user
from labeling.tests.people.test_home import label_all

pytestmark = pytest.mark.django_db
MONDAY = datetime(2026, 11, 23, 7, tzinfo=UTC)  # when the week from 16 to 22 November may be reported
LONG_AGO = MONDAY - timedelta(days=60)


@pytest.fixture
def project() -> Project:
    """Nine labels in the week of 16 November, four in the week before, and five still wanted."""
    project = old_project("algebra", name="Algebra")
    make_round(project, 18, name="First")
    ada, bob = make_member(project), make_member(project)
    label_all(project, ada, 4, ms=90_000, at=MONDAY - timedelta(days=9))
    label_all(project, ada, 6, ms=90_000, at=MONDAY - timedelta(days=3))
    label_all(project, bob, 3, ms=90_000, at=MONDAY - timedelta(hours=8))  # Sunday, 23:00
    return project


def old_project(*args: Any, **fields: Any) -> Project:
    return make_project(*args, created_at=LONG_AGO, **fields)


def who_wants_it(
    project: Project, *channels: str, role: str = "researcher", since: datetime = LONG_AGO, **fields: Any
) -> User:
    """Create a person who switched the digest on at that time."""
    person = make_member(project, role, **fields)
    browser = Browser(person)
    with mock.patch.object(timezone, "now", return_value=since):
        for channel in channels:
            notices.choose_notices(person, kind="digest", channel=channel, on=True)
    for channel in channels:  # again, as the page does: it is already on
        browser.call("PUT", "/api/notices/choices", {"kind": "digest", "channel": channel, "on": True})
    return person


def test_a_digest_says_the_week_gold_open_rounds_and_when_they_are_done(project, settings):
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"
    who_wants_it(project, "mail", email="emmy@example.org")
    assert tell_digests(MONDAY) == 1
    [delivery] = Delivery.objects.all()
    assert webhook_deliveries.deliver(delivery.pk, post=_never).status == "delivered"
    [message] = mail.outbox
    assert message.subject == "[Stepmark] Algebra: The week from Mon 16 Nov 2026 to Sun 22 Nov 2026"
    done = queries.forecasts.forecast(project)
    lines = message.body.split("\n")
    assert lines[:3] == [
        "9 labels by 2 people (4 the week before).",
        "Hidden gold answered as expected so far: n/a (none answered yet).",
        "Round 1 (First): 13 labels so far, 5 more wanted.",
    ]
    assert done["labels"] == 5
    assert lines[3].startswith(
        ("At the rate of the last two weeks, all labels will be done on ", "Expected completion: n/a (")
    )
    assert "https://label.example.org/projects/algebra/home" in message.body
    assert delivery.message["facts"]["labels"] == 9
    assert delivery.message["facts"]["rounds"] == [{"number": 1, "name": "First", "submitted": 13, "wanted": 5}]


def test_labels_on_gold_and_of_a_screening_are_none_of_the_weeks(project):
    Task.objects.filter(
        labels__labeler__in=User.objects.filter(labels__submitted_at__gt=MONDAY - timedelta(days=1))
    ).update(kind="gold")
    digest = queries.digests.digest_of(project, (MONDAY - timedelta(days=7)).date())
    assert digest is not None
    assert (digest.labels, digest.labelers, digest.rounds[0].submitted) == (6, 1, 10)


def test_nobody_is_told_who_did_not_ask_or_does_not_run_the_project(project, settings):
    settings.MAIL = True
    who_wants_it(project, email="quiet@example.org")
    who_wants_it(project, "mail", "app", role="annotator", email="labels@example.org")
    gone = who_wants_it(project, "mail", "app", email="gone@example.org")
    Membership.objects.filter(user=gone).update(is_active=False)
    who_wants_it(old_project(), "mail", "app", email="elsewhere@example.org")  # where nothing happened
    who_wants_it(project, "mail", email="")
    assert tell_digests(MONDAY) == 0
    assert not Notice.objects.exists()
    assert not Delivery.objects.exists()
    settings.MAIL = False
    who_wants_it(project, "mail", email="nobody.sends@example.org")
    assert (tell_digests(MONDAY), Delivery.objects.count()) == (0, 0), "this site sends no mail"


def test_a_week_is_told_of_once_from_monday_morning_on(project):
    emmy = who_wants_it(project, "app", role="admin")
    before = (MONDAY - timedelta(seconds=1), MONDAY - timedelta(days=7, seconds=1))
    assert [tell_digests(at) for at in before[:1]] == [0]
    assert [tell_digests(MONDAY + timedelta(hours=hours)) for hours in (0, 1, 30, 7 * 24 - 8)] == [1, 0, 0, 0]
    assert [one.event for one in Notice.objects.filter(person=emmy)] == [f"digest:{project.pk}:2026-11-16"]
    assert tell_digests(MONDAY + timedelta(days=7)) == 1, "nothing was labeled, but a round is open"
    assert Notice.objects.filter(person=emmy).count() == 2
    assert "0 labels by 0 people (9 the week before)." in Notice.objects.latest("pk").text


def test_a_worker_that_dies_before_it_has_said_it_all_leaves_it_to_the_next(project, settings):
    settings.MAIL = True
    people = [who_wants_it(project, "app", "mail", email=f"{name}@example.org") for name in ("emmy", "sophie")]
    about = {"project": project, "url": "https://hook.example.org", "kinds": ["digest"]}
    Webhook.objects.create(**about, created_at=LONG_AGO)
    with transaction.atomic():
        assert tell_digests(MONDAY) == 1
        transaction.set_rollback(True)  # killed before the commit
    assert (Notice.objects.count(), Delivery.objects.count()) == (0, 0)
    assert [tell_digests(MONDAY) for _ in range(2)] == [1, 0]
    assert (Notice.objects.filter(person__in=people).count(), Delivery.objects.count()) == (2, 3)
    in_time = who_wants_it(project, "app", since=MONDAY)
    assert [tell_digests(MONDAY) for _ in range(2)] == [1, 0], "others are not told again"
    assert Notice.objects.count() == 3
    assert Notice.objects.filter(person=in_time).count() == 1


def test_no_week_is_told_of_that_was_over_before_somebody_asked_or_before_the_project_was_there(project, settings):
    settings.MAIL = True
    sunday, week = MONDAY + timedelta(days=5, hours=19), timedelta(days=7)
    late = who_wants_it(project, "mail", "app", since=sunday, email="late@example.org")
    Webhook.objects.create(project=project, url="https://hook.example.org", kinds=["digest"], created_at=sunday)
    young = make_project(created_at=MONDAY - timedelta(hours=6))  # on Monday: their first week has just begun
    make_round(young, 2)
    who_wants_it(young, "app")
    assert tell_digests(sunday + timedelta(hours=1)) == 0
    assert (Notice.objects.count(), Delivery.objects.count()) == (0, 0)
    assert [tell_digests(MONDAY + week + timedelta(hours=hours)) for hours in (-1, 0, 1)] == [0, 2, 0]
    assert [one.title for one in Notice.objects.filter(person=late)] == [
        "The week from Mon 23 Nov 2026 to Sun 29 Nov 2026"
    ]
    assert Delivery.objects.count() == 2  # the mail and the webhook
    choices = Browser(late).call("GET", "/api/notices/choices")
    assert choices["kinds"]["digest"] == {"app": True, "mail": True}


def test_mail_that_is_switched_on_later_does_not_bring_a_week_that_the_app_told(project, settings):
    settings.MAIL = True
    emmy = who_wants_it(project, "app", email="emmy@example.org")
    assert tell_digests(MONDAY) == 1
    notices.choose_notices(emmy, kind="digest", channel="mail", on=True)
    assert tell_digests(MONDAY + timedelta(days=1)) == 0
    assert Delivery.objects.count() == 0


def test_an_archived_project_and_one_where_nothing_happens_are_quiet(project):
    emmy = who_wants_it(project, "app")
    idle = old_project()
    Membership.objects.create(project=idle, user=emmy, role="admin")
    assert tell_digests(MONDAY) == 1
    assert {one.project for one in Notice.objects.filter(person=emmy)} == {project}
    Notice.objects.all().delete()
    project.status = Project.Status.ARCHIVED
    project.save()
    assert tell_digests(MONDAY) == 0


@pytest.mark.django_db(transaction=True)
def test_of_workers_that_look_at_once_each_person_hears_from_one():
    project = old_project()
    make_round(project, 2)
    label_all(project, make_member(project), 1, ms=60_000, at=MONDAY - timedelta(days=1))
    people = [who_wants_it(project, "app") for _ in range(3)]
    together = threading.Barrier(4)
    faults: list[BaseException] = []

    def look() -> None:
        together.wait()
        try:
            tell_digests(MONDAY)
        except BaseException as fault:  # noqa: BLE001  # told below
            faults.append(fault)
        connection.close()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert Notice.objects.count() == len(people)


def test_looking_costs_little_where_all_was_told(project, django_assert_num_queries):
    who_wants_it(project, "app")
    tell_digests(MONDAY)
    with django_assert_num_queries(4):  # recipients, webhooks, what was reported, what was sent
        assert tell_digests(MONDAY) == 0
    with django_assert_num_queries(0):
        assert tell_digests(MONDAY - timedelta(minutes=1)) == 0


def test_a_superuser_without_the_project_hears_nothing(project):
    root = make_user("root", is_superuser=True)
    notices.choose_notices(root, kind="digest", channel="app", on=True)
    assert tell_digests(MONDAY) == 0


def _never(*_: Any) -> None:
    pytest.fail("this is mail")


def test_a_digest_says_what_it_knows_of_gold_and_of_the_end_and_why_it_knows_no_more():
    def told(gold: Estimate, rounds: list[OpenRound], **done: date | None) -> list[str]:
        forecast = {"done": {"value": None, "low": None, "high": None} | done}
        days = date(2026, 11, 16), date(2026, 11, 22)
        return words_of(
            Digest(*days, labels=1, labelers=1, labels_before=0, gold=gold, rounds=rounds, forecast=forecast)
        )

    few, many = Estimate(0.5, None, None, 2, 2, "few_clusters"), Estimate(0.9, 0.8, 0.95, 40, 40)
    assert told(few, [])[1:] == [
        "Hidden gold answered as expected so far: 50 % of 2 (95 %: n/a, 2 items).",
        "No round is open now.",
    ]
    wanted, labeled = OpenRound(1, "", 3, 5), OpenRound(2, "Last", 8, 0)
    assert told(many, [labeled])[1:] == [
        "Hidden gold answered as expected so far: 90 % of 40 (95 %: 80 to 95 %).",
        "Round 2 (Last): 8 labels so far, no more wanted.",
        "Look at the reports, then close the rounds that are fully labeled.",
    ]
    day = date(2026, 12, 1)
    assert (
        told(many, [wanted], value=day)[-1]
        == "At the rate of the last two weeks, all labels will be done on Tue 1 Dec 2026."
    )
    ends = told(many, [wanted], value=day, low=date(2026, 11, 30), high=date(2026, 12, 3))[-1]
    assert ends.endswith("Tue 1 Dec 2026 (95 %: Mon 30 Nov 2026 to Thu 3 Dec 2026).")
    assert told(many, [wanted])[-1] == (
        "Expected completion: n/a (nobody has labeled on a whole day of the last two weeks)."
    )
