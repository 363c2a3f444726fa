"""The pages of prepared rounds, gradings and scores: by axe, with hostile text, by keyboard, and when empty."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Case, Value, When
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.rounds import publish_round
from labeling.models import GradingJob, Label, Round, Trace, TraceGrade
from labeling.selection import Mix
from labeling.tests import factories
from labeling.tests.browser.axe import AT_ONCE, TURNED
from labeling.tests.browser.scored_project import make_scored_project
from labeling.tests.browser.test_admin_accessibility import PHONE, expect_no_faults, visit
from labeling.tests.browser.test_admin_hostile_text import RUNNABLE, SHORT
from labeling.tests.browser.test_hostile_text import ALL, is_strange

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]


def open_everything(page: Page) -> None:
    """Show everything that a page shows on demand, and wait until it is there."""
    loading = page.get_by_role("status", name=re.compile("^Loading"))
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(loading).to_have_count(0)
    for button in page.get_by_role("button", name="Change the rules").all():
        button.click()
    for choice in page.get_by_role("radio", name="Over all problems").all():
        choice.check()  # it reveals the other selection methods
        page.get_by_label("Like the named ones, percent").first.fill("10")
    page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))")
    expect(loading).to_have_count(0)


@pytest.mark.parametrize(
    "settings",
    [{"color_scheme": "light"}, {"color_scheme": "dark", **PHONE}],
    ids=["light-wide", "dark-phone"],
)
def test_axe_finds_nothing_on_the_pages_of_prepared_rounds(
    live_server: Any, log_in: LogIn, settings: dict[str, Any]
) -> None:
    scored = make_scored_project(short="A name of quite some length, as people give them")
    page = log_in(scored.admin, **settings)
    for address in scored.pages():
        visit(page, live_server.url, address)
        open_everything(page)
        if "rounds/new?kind=convincing" in address:
            expect(page.get_by_label("Like which traces")).to_be_visible()
        expect_no_faults(page)


def test_hostile_text_runs_nothing_on_the_pages_of_prepared_rounds(live_server: Any, log_in: LogIn) -> None:
    scored = make_scored_project(text=ALL, short=SHORT)
    page = log_in(scored.admin)
    strange: list[str] = []
    page.on("request", lambda request: strange.append(request.url) if is_strange(request, live_server.url) else None)
    for address in scored.pages():
        visit(page, live_server.url, address)
        open_everything(page)
        assert page.evaluate("window.__ran") is None, address
        assert page.locator(RUNNABLE).count() == 0, address
    assert strange == []


def test_rounds_are_laid_side_by_side_and_put_away_by_keyboard(live_server: Any, log_in: LogIn) -> None:
    scored = make_scored_project()
    page = log_in(scored.admin, color_scheme="dark")
    page.goto(f"{live_server.url}/projects/{scored.project.slug}/rounds/compare")
    table = page.get_by_role("table", name="Measures by round")
    expect(table.get_by_role("columnheader")).to_have_text(["Measure", "Short", "Round 2"])
    page.get_by_role("checkbox", name="Round 2").focus()
    page.keyboard.press("Space")
    expect(table.get_by_role("columnheader")).to_have_text(["Measure", "Short"])
    page.reload()  # the selection is in the address
    expect(table.get_by_role("columnheader")).to_have_text(["Measure", "Short"])

    # Three at once: each one's difference from one of them, by default the earliest.
    publish_round(scored.ready, by=scored.admin)
    page.reload()
    for place in (0, 1):  # two of the three have the same name
        page.get_by_role("checkbox").nth(place).click()  # it is checked once the address contains it
        expect(page.get_by_role("checkbox").nth(place)).to_be_checked()
    expect(page.get_by_role("heading", name="2 rounds against Round 1")).to_be_visible()
    found = page.get_by_role("table", name="What it found")
    expect(found.get_by_role("columnheader")).to_contain_text(["Figure", "Round 1", "Round 2", "Round 4"])
    errors = found.get_by_role("row").filter(has_text="Errors found").get_by_role("cell")
    expect(errors.nth(2)).to_contain_text(re.compile(r"points.*95 %: n/a.*cannot tell"))
    expect(errors.nth(3)).to_contain_text("n/a")  # none of it is labeled
    page.get_by_label("Differences to").select_option("Round 2")
    expect(page.get_by_role("heading", name="2 rounds against Round 2")).to_be_visible()
    assert "base=" in page.url
    expect_no_faults(page)


def test_a_failed_round_says_why_and_offers_the_way_out(live_server: Any, log_in: LogIn) -> None:
    scored = make_scored_project(text="Give the worker more memory.")
    page = log_in(scored.admin)
    page.goto(f"{live_server.url}/projects/{scored.project.slug}/rounds/{scored.failed.pk}")
    expect(page.get_by_role("alert")).to_contain_text("Give the worker more memory.")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("dialog").get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_text("waiting for a worker")).to_be_visible()


def test_what_follows_a_round_is_asked_for_by_schedule_by_likeness_and_by_the_recommended_mix(
    live_server: Any, log_in: LogIn
) -> None:
    scored = make_scored_project()
    publish_round(scored.ready, by=scored.admin)
    base = f"{live_server.url}/projects/{scored.project.slug}"
    page = log_in(scored.admin)
    page.goto(f"{base}/rounds/{scored.ready.pk}")
    percent = page.get_by_role("textbox", name="At this percentage of this round’s labels")
    percent.fill("75")
    percent.press("Enter")
    expect(page.get_by_text("asked for it to be prepared at 75 % of the labels. Now: 0")).to_be_visible()
    page.evaluate(AT_ONCE)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(TURNED, arg=scheme)
        expect_no_faults(page)
    page.get_by_role("button", name="Do not prepare it").click()
    expect(percent).to_be_visible()
    scored.ready.refresh_from_db()
    assert scored.ready.next_at is None

    page.goto(f"{base}/traces")
    for place in (0, 2):
        page.get_by_role("checkbox", name=re.compile("^Pick trace")).nth(place).check()
    page.get_by_role("link", name="More like these").click()
    named = page.get_by_label("Like which traces")
    picked = [int(number) for number in re.findall(r"\d+", named.input_value())]
    assert Trace.objects.filter(project=scored.project, pk__in=picked).count() == 2
    expect(page.get_by_label("Like the named ones, percent")).to_have_value("100")

    # No random trace has been labeled: three tenths unsure steps, and a control arm.
    page.get_by_role("button", name="Use it").click()
    expect(named).to_have_count(0)
    expect(page.get_by_label("Unsure steps, percent")).to_have_value("30")
    expect(page.get_by_role("button", name="Use it")).to_have_count(0)
    page.get_by_label("Like the named ones, percent").fill("10")
    expect(named).to_have_value(", ".join(map(str, picked)))
    page.get_by_role("button", name="Start the round").click()
    expect(page.get_by_role("heading", level=1, name=re.compile("^Round"))).to_be_visible()
    asked = Round.objects.latest("pk").staged_config
    assert (asked.mode, asked.control_share) == ("global", 0.2)
    assert asked.mix == Mix(unsure=0.3, like=0.1, like_traces=tuple(picked))


def test_an_empty_project_says_why_there_is_nothing_to_choose_or_to_compare(live_server: Any, log_in: LogIn) -> None:
    project = factories.make_project()
    page = log_in(factories.make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/rounds/new?kind=convincing")
    expect(page.get_by_text("Only a project admin can do this.")).to_be_visible()  # connecting a PRM
    page.get_by_role("button", name="Set up this kind of round anyway").click()
    expect(page.get_by_text("There is no PRM yet")).to_be_visible()
    expect(page.get_by_text("No trace fits.")).to_be_visible()
    expect(page.get_by_text("No server for generating is set up here.")).to_be_visible()
    page.goto(f"{live_server.url}/projects/{project.slug}/rounds/compare")
    expect(page.get_by_role("heading", name="No round has a report yet")).to_be_visible()


def test_hasty_labels_of_a_plain_round_and_single_grades_are_left_out_at_a_press(
    live_server: Any, log_in: LogIn
) -> None:
    scored = make_scored_project()
    base = f"{live_server.url}/projects/{scored.project.slug}"
    round_ = factories.make_round(scored.project, traces=2)
    clicker = factories.make_member(scored.project)
    Round.objects.exclude(pk=round_.pk).filter(status="labeling").update(status="closed")
    label = claim_next_label(clicker, scored.project).label
    assert label is not None
    submit_label(label, factories.make_submission([1, -1, None] if label.task.trace.outcome == "wrong" else [1, 1, 1]))
    Label.objects.filter(pk=label.pk).update(active_ms=10)
    page = log_in(scored.admin)
    page.goto(f"{base}/rounds/{round_.pk}")
    expect(page.get_by_text("1 label of 1 took less than 2 s a step")).to_be_visible()
    page.get_by_role("link", name="Export without them").click()
    expect(page.get_by_text("1 hasty label left out")).to_be_visible()
    page.goto(f"{base}/rounds/{round_.pk}")
    page.get_by_role("button", name="Leave them out…").click()
    page.get_by_role("dialog").get_by_role("button", name="Leave them out").click()
    expect(page.get_by_text("took less than 2 s a step")).to_have_count(0)
    assert Label.objects.get(pk=label.pk).excluded
    TraceGrade.objects.filter(job=scored.grading).update(
        outcome=Case(When(outcome_before="wrong", then=Value("correct")), default=Value("wrong"))
    )
    GradingJob.objects.update(counts={"differences": 24, "kept": 0, "correct": 24})
    page.goto(f"{base}/gradings/{scored.grading.pk}")
    expect(page.get_by_role("button", name="Apply 24 changes")).to_be_visible()
    page.get_by_role("checkbox", name=re.compile("^Apply to")).first.click()
    expect(page.get_by_role("button", name="Apply 23 changes")).to_be_visible()
    assert TraceGrade.objects.filter(left_out=True).count() == 1


def test_closing_a_round_says_what_waits_in_it_and_what_will_not_be_prepared(live_server: Any, log_in: LogIn) -> None:
    round_ = factories.make_round(factories.make_project(), traces=3, overlap=2)
    for ratings in ([1, -1, None], [1, 1, 1]):
        person = factories.make_member(round_.project)
        submit_label(claim_next_label(person, round_.project).label, factories.make_submission(ratings))
    admin = factories.make_member(round_.project, "admin")
    Round.objects.update(next_at=90, next_by=admin)
    page = log_in(admin)
    page.goto(f"{live_server.url}/projects/{round_.project.slug}/rounds/{round_.pk}")
    page.get_by_role("button", name="Close round").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("1 task waits for a reviewer")).to_be_visible()
    not_prepared = "due at 90 % of the labels, will no longer be prepared"
    expect(dialog.get_by_text(not_prepared)).to_be_visible()
    expect(dialog.get_by_role("link", name="Review it first")).to_be_visible()
    dialog.get_by_role("button", name="Close for good").click()
    expect(page.get_by_role("button", name="Close round")).to_have_count(0)
