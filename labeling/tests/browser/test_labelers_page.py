"""Ten hasty labels show up next to others', in a round and a period, and lead to the labels themselves."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.configs.rounds import TraceFilter
from labeling.models import Label, Project, User
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]
NOON = datetime(2026, 11, 5, 12, tzinfo=UTC)


def label_all(project: Project, person: User, seconds: list[float], at: datetime) -> None:
    """Submit the person's next labels a minute apart, each with this many seconds per step."""
    for place, one in enumerate(seconds):
        label = claim_next_label(person, project).label
        assert label is not None
        submit_label(label, make_submission([1, 1, 1]))
        when = at + timedelta(minutes=place)
        Label.objects.filter(pk=label.pk).update(active_ms=round(3_000 * one), submitted_at=when)


def test_a_hurry_is_marked_and_a_round_and_its_days_lead_to_the_labels(live_server: Any, log_in: LogIn) -> None:
    project = make_project(name="Algebra")
    ada, bo = (make_member(project, display_name=name) for name in ("Ada", "Bo"))
    first = make_round(project, 16, name="First")
    label_all(project, ada, [*(31.0 + place for place in range(6)), *(1 + place / 50 for place in range(10))], NOON)
    make_round(project, 3, name="Second", source="filter", filter=TraceFilter(unlabeled_only=True))
    label_all(project, bo, [20, 22, 24], NOON + timedelta(days=10))
    page = log_in(make_member(project, "researcher", display_name="Rita"))
    page.goto(f"{live_server.url}/projects/{project.slug}/home")
    page.get_by_role("navigation", name="Project").get_by_role("link", name="People").click()
    page.get_by_role("link", name="Labelers", exact=True).click()
    rows = page.get_by_role("table", name="Labelers side by side").get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="Ada")).to_contain_text("hasty 1.1 s")
    expect(rows.filter(has_text="Bo")).to_contain_text("n/a")
    pace = page.get_by_role("figure", name="Active time per step")
    expect(pace).to_contain_text(re.compile(r"Ada, newest 10.*1\.1 s, 95 %: 1\.0 s to 1\.2 s, faster than all before"))
    expect(pace).to_contain_text("22 s, 95 %: n/a (3 labels)")

    page.get_by_label("Round").select_option("1 First")
    expect(rows).to_have_count(2)
    assert f"round={first.pk}" in page.url
    assert f"round={first.pk}" in (page.get_by_role("link", name="Download as CSV").get_attribute("href") or "")
    page.get_by_label("Submitted on or after").fill("2026-11-05")
    page.get_by_label("Submitted on or before").fill("2026-11-05")
    page.get_by_role("link", name="10 hasty labels of Ada").click()
    expect(page.get_by_role("heading", name="10 of 19 labels")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="16 labels of Ada").click()
    expect(page.get_by_role("heading", name="16 of 19 labels")).to_be_visible()
    for asked in (f"labeler={ada.pk}", f"round={first.pk}", "since=2026-11-0", "until=2026-11-0"):
        assert asked in page.url
    page.go_back()
    expect(page.get_by_label("Submitted on or after")).to_have_value("2026-11-05")
    page.get_by_label("Submitted on or after").fill("2026-11-06")
    page.get_by_label("Submitted on or before").fill("")
    expect(page.get_by_role("heading", name="No labels match")).to_be_visible()
    expect(page.get_by_text(re.compile(r"There are no labels in round 1 First, since .* 6 Nov.*\."))).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(rows).to_have_count(3)
    rows.filter(has_text="Ada").get_by_role("link", name="Ada", exact=True).click()
    expect(
        page.get_by_text(re.compile(r"Newest 10 labels: 1\.1 s, 95 %: .*; faster than all before\."))
    ).to_be_visible()
