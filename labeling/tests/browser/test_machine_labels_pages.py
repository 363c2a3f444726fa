"""Machine labels compared with people's in the browser: an audit and its calibration, marks after a label."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.rounds import close_round
from labeling.models import AcceptedMark, Project, Round, ScoreCount, StepScorer, TrainingRun
from labeling.sources.marks import Hits
from labeling.tests.accounts import Browser
from labeling.tests.browser.axe import AT_ONCE, TURNED
from labeling.tests.browser.test_admin_accessibility import expect_no_faults
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.sources.test_audits import audit, label_all, make_marks
from labeling.tests.sources.world import count_rollouts

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def expect_no_faults_in_either_theme(page: Page) -> None:
    """Check by axe: wide in light mode, on a phone in dark mode."""
    page.evaluate(AT_ONCE)
    for scheme, width in (("dark", 390), ("light", 1440)):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(TURNED, arg=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        expect_no_faults(page)


def test_a_sample_is_drawn_for_a_source_labeled_and_is_what_its_calibration_rests_on(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = make_project()
    judge, _traces = make_marks(project, 40)
    page = log_in(make_member(project, "admin"))
    calibration = f"{live_server.url}/projects/{project.slug}/sources/{judge.pk}/calibration"
    page.goto(calibration)
    audit = page.get_by_role("region", name="The audit sample")
    expect(audit).to_contain_text("No sample has been drawn.")
    audit.get_by_role("link", name="Draw a sample").click()
    form = page.get_by_role("form", name="New round")
    expect(form.get_by_role("radio", name=re.compile("^An audit of machine labels"))).to_be_checked()
    expect(form.get_by_label("Marks by")).to_have_value(str(judge.pk))
    form.get_by_label("How many").fill("20")
    form.get_by_label(re.compile("^Bar for bulk acceptance")).fill("80")
    expect(page.get_by_role("region", name="Preview")).to_contain_text(re.compile(r"20\s*traces"))
    form.get_by_role("button", name="Open the round").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Round 1")
    drawn = Round.objects.get(project=project)
    machine = drawn.plain_config.machine
    assert (drawn.task_count, machine.scorer.id, machine.bar) == (20, judge.pk, 0.8)
    label_all(project, judge, against=1)
    close_round(drawn, by=None)
    page.goto(calibration)
    expect(audit).to_contain_text("20 of 20 traces labeled, drawn from 40; bar 80.0 %")
    expect(audit).to_contain_text("95.0 %")
    expect(page.get_by_label("What is true")).to_have_value("audit")
    acceptance = page.get_by_role("region", name="Bulk acceptance")
    expect(acceptance).to_contain_text("Not possible now. The agreement is 95.0%")
    page.get_by_label("What is true").select_option("labels")
    expect(page).to_have_url(re.compile("truth=labels"))
    expect(page.get_by_role("heading", level=2, name="20 traces")).to_be_visible()


def test_marks_are_accepted_over_a_bar_counted_beforehand_and_withdrawn_whole(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = make_project()
    judge, _traces = make_marks(project, 50)
    admin = make_member(project, "admin")
    drawn = audit(Browser(admin), project, judge)
    label_all(project, judge)
    close_round(drawn, by=None)
    page = log_in(admin)
    page.goto(f"{live_server.url}/projects/{project.slug}/sources/{judge.pk}/calibration")
    acceptance = page.get_by_role("region", name="Bulk acceptance")
    expect(acceptance.get_by_role("status").first).to_contain_text("marks for 20 traces that nobody has labeled")
    acceptance.get_by_role("button", name="Accept 20 marks").click()
    page.get_by_role("dialog").get_by_role("button", name="Accept", exact=True).click()
    row = acceptance.get_by_role("row").filter(has_text="judge")
    expect(row).to_contain_text("accepted")
    expect(acceptance).to_contain_text("there are no marks left to accept")
    assert AcceptedMark.objects.count() == 20
    other = second_source(project, judge)
    page.get_by_label("Second source").select_option(str(other.pk))
    three = page.get_by_role("region", name="Both sources and people")
    both = judge.scores.filter(evidence__first_error=-1, trace__in=drawn.tasks.values("trace")).count()
    expect(three).to_contain_text("30 traces that both sources marked")
    for name, count in (("Both agree with people", both), ("Only this source agrees with people", 30 - both)):
        expect(three.get_by_role("listitem").filter(has_text=name)).to_contain_text(f"; {count} traces")
    expect_no_faults_in_either_theme(page)
    row.get_by_role("button", name="Withdraw").click()
    page.get_by_role("dialog").get_by_role("button", name="Withdraw all").click()
    expect(row).to_contain_text("withdrawn")
    assert not AcceptedMark.objects.exists()


def second_source(project: Project, judge: StepScorer) -> StepScorer:
    """Checks that find no error in what the judge marked."""
    other = StepScorer.objects.create(
        project=project, name="checks", kind="verifier", fingerprint="v", scale="hard", status="ready", spec={}
    )
    for score in judge.scores.all():
        score.scorer = other
        score.pk = (other.pk, score.trace_id)
        score.evidence = {"first_error": -1}
        score.save(force_insert=True)
    return other


def test_a_round_of_disagreements_is_asked_for_by_the_form(live_server: Any, log_in: Callable[..., Page]) -> None:
    project = make_project()
    judge, _traces = make_marks(project, 12)
    other = second_source(project, judge)
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/rounds/new")
    form = page.get_by_role("form", name="New round")
    form.get_by_role("radio", name=re.compile("^Disagreements")).check()
    form.get_by_label("Marks by").select_option("judge")
    form.get_by_label("Against").select_option("checks")
    form.get_by_label("How many").fill("4")
    form.get_by_label(re.compile("^Control arm")).fill("25")
    form.get_by_role("button", name="Open the round").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Round 1")
    drawn = Round.objects.get(project=project)
    assert (drawn.plain_config.source, drawn.task_count) == ("disagreement", 4)
    machine = drawn.plain_config.machine
    assert machine.other is not None
    assert (machine.other.id, machine.control_share) == (other.pk, 0.25)


def test_a_labeler_sees_a_sources_marks_after_their_label_and_its_words(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = make_project()
    judge, _traces = make_marks(project, 1, error=1)
    score = judge.scores.get()
    score.evidence = {"first_error": 1, "words": [[], ["12 x 7 = 86 does not hold (84)"], []]}
    score.save()
    researcher = log_in(make_member(project, "researcher"))
    researcher.goto(f"{live_server.url}/projects/{project.slug}/rounds/new")
    form = researcher.get_by_role("form", name="New round")
    form.get_by_label("Labelers see the marks of").select_option("judge")
    form.get_by_role("button", name="Open the round").click()
    expect(researcher.get_by_role("heading", level=1)).to_contain_text("Round 1")
    labeler = make_member(project)
    label = claim_next_label(labeler, project).label
    assert label is not None
    submit_label(label, make_submission([1, 1, 1]))
    page = log_in(labeler)
    page.goto(f"{live_server.url}/projects/{project.slug}/my-work")
    page.get_by_role("button", name="The model’s view").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Show what machines say").click()
    expect(dialog).to_contain_text("judge: the first error is in step 2. You said: no error.")
    expect(dialog).to_contain_text("12 x 7 = 86 does not hold (84)")
    expect_no_faults_in_either_theme(page)
    dialog.get_by_role("button", name="step 1", exact=True).click()
    expect(dialog).not_to_contain_text("does not hold")
    researcher.reload()
    report = researcher.get_by_role("region", name="Effect of the marks by judge")
    expect(report).to_contain_text("after 1 label of 1 label")


def test_an_assisted_round_shows_marks_beside_the_steps_of_some_tasks_and_reports_what_they_did(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = make_project()
    judge, _traces = make_marks(project, 2, error=1)
    for score in judge.scores.all():
        score.evidence = {"first_error": 1, "words": [[], ["12 x 7 = 86 does not hold (84)"], []]}
        score.save()
    researcher = log_in(make_member(project, "researcher"))
    researcher.goto(f"{live_server.url}/projects/{project.slug}/rounds/new")
    form = researcher.get_by_role("form", name="New round")
    form.get_by_label("Labelers see the marks of").select_option("judge")
    form.get_by_label("When", exact=True).select_option("beside")
    form.get_by_label(re.compile("^Tasks that show nothing")).fill("30")
    expect_no_faults_in_either_theme(researcher)
    form.get_by_role("button", name="Open the round").click()
    expect(researcher.get_by_role("heading", level=1)).to_contain_text("Round 1")
    opened = Round.objects.get(project=project)
    assert opened.machine == {"source": judge.pk, "when": "beside", "blind_share": 0.3}
    first, second = opened.tasks.order_by("order_key")
    opened.tasks.filter(pk=first.pk).update(assisted=True)
    opened.tasks.filter(pk=second.pk).update(assisted=False)
    page = log_in(make_member(project))
    page.goto(f"{live_server.url}/projects/{project.slug}/label")
    beside = page.get_by_role("note")
    expect(beside).to_contain_text("“judge”, a machine, sees the first error in step 2. It may be wrong")
    expect(page.get_by_text("judge: the first error; 12 x 7 = 86 does not hold (84)")).to_be_visible()
    expect_no_faults_in_either_theme(page)
    page.keyboard.press("1")
    page.keyboard.press("1")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("0 of 3 steps rated")).to_be_attached()
    expect(beside).to_have_count(0)
    expect(page.get_by_text("judge:")).to_have_count(0)
    researcher.reload()
    report = researcher.get_by_role("region", name="Effect of the marks by judge")
    expect(report).to_contain_text("1 label beside marks (seen in 1), 0 labels blind")
    expect(report).to_contain_text("n/a: one of the two arms has no label")
    expect_no_faults_in_either_theme(researcher)


def test_a_head_on_progress_is_asked_for_by_the_form_and_its_page_says_how_well_it_learned(
    live_server: Any, log_in: Callable[..., Page], settings: Any
) -> None:
    settings.TRAINING_BASES = {"Tiny": "tiny"}
    project = make_project()
    round_ = make_round(project, traces=2)
    labeler = make_member(project)
    for _ in range(2):
        label = submit_label(claim_next_label(labeler, project).label, make_submission([1, -1, None]))
        about = {"kind": "rollouts", "scale": "probability", "status": "ready", "spec": {}, "fingerprint": "r"}
        source, _ = StepScorer.objects.get_or_create(project=project, name="Rolled out", defaults=about)
        count_rollouts(source, label.task.trace, [Hits(4, 4), Hits(4, 4), Hits(0, 4), Hits(0, 4)])
    ScoreCount.objects.create(scorer=source, project=project, traces=2)
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/traces/{label.task.trace_id}")
    expect(page.get_by_text("not whether steps are correct")).to_be_visible()
    expect_no_faults_in_either_theme(page)
    page.goto(f"{live_server.url}/projects/{project.slug}/prms/train")
    form = page.get_by_role("form", name="Train a PRM")
    expect(form.get_by_role("radio", name=re.compile("Stacked head"))).to_be_checked()
    form.get_by_role("radio", name=re.compile("[Pp]rogress")).check()
    expect(form.get_by_role("radio", name=re.compile("Head only"))).to_be_checked()
    expect(form.get_by_label("Progress as measured by")).to_have_value(str(source.pk))
    expect_no_faults_in_either_theme(page)
    form.get_by_role("button", name="Start training").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Training")
    run = TrainingRun.objects.get(project=project)
    assert (run.target, run.round_ids, [one["id"] for one in run.sources]) == ("progress", [round_.pk], [source.pk])
    said = {"steps": 80, "problems": 40, "correlation": 0.61, "low": 0.42, "high": 0.75, "rmse": 0.2,
            "rmse_of_the_mean": 0.3, "correlation_position_and_length_only": 0.08}  # fmt: skip
    TrainingRun.objects.update(status="succeeded", stage="done", report={"meta": {"progress": said}})
    page.reload()
    expect(page.locator("main")).to_contain_text("80 steps of 40 problems")
    expect(page.locator("main")).to_contain_text("0.42 to 0.75")
    expect(page.get_by_text("Progress measured by")).to_be_visible()
    expect_no_faults_in_either_theme(page)
