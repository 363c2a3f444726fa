"""An assisted round shows a machine's marks with some tasks, drawn at random, and measures the effect."""

import pytest
from django.core.cache import cache

from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.rounds import close_round
from labeling.models import Label, Project, Round, StepScorer, Task
from labeling.queries.training_examples import label_ids
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.failures.test_failures_api import figures
from labeling.tests.sources.test_audits import make_marks, verdict_of

pytestmark = pytest.mark.django_db


def assist(browser: Browser, project: Project, judge: StepScorer, status: int = 201, **asked: object) -> dict:
    body = {"source": "all", "machine": {"source": judge.pk, "when": "beside", **asked}}
    return browser.call("POST", f"/api/projects/{project.slug}/rounds", body, status=status)


def label_by(project: Project, judge: StepScorer, *, follow: bool) -> None:
    """Label without an error where no marks are shown; next to marks, repeat the machine's verdict, or find no error
    either.
    """
    labeler = make_member(project)
    page = Browser(labeler)
    while (label := claim_next_label(labeler, project).label) is not None:
        shown = page.call("GET", f"/api/labels/{label.pk}")["machine"] == "beside"
        assert shown is bool(label.task.assisted)
        first = -1
        if shown:
            [mark] = page.call("POST", f"/api/labels/{label.pk}/reveal")["marks"]
            first = mark["first_error"] if follow else -1
            label.refresh_from_db()
        submit_label(label, make_submission([1] * 3 if first < 0 else [1] * first + [-1] + [None] * (2 - first)))


def test_a_share_of_the_tasks_shows_nothing_and_the_report_tells_how_far_wrong_marks_were_followed() -> None:
    cache.clear()
    project = make_project()
    judge, traces = make_marks(project, 60, error=1)
    for trace in traces:  # the truth: no error, so that every mark is wrong
        trace.recorded_first_error = -1
        trace.save()
    researcher = Browser(make_member(project, "researcher"))
    opened = assist(researcher, project, judge, blind_share=0.4)
    tasks = Task.objects.filter(round=opened["id"])
    blind = tasks.filter(assisted=False).count()
    assert 10 <= blind <= 40
    assert tasks.filter(assisted=True).count() == 60 - blind
    label_by(project, judge, follow=True)
    untimed = researcher.call("GET", f"/api/rounds/{opened['id']}/machine")["figures"]
    assert {(one["value"], "no recorded times" in one["why"]) for one in untimed[:3]} == {(None, True)}
    for assisted, ms in ((True, 2_000), (False, 5_000)):
        Label.objects.filter(task__in=tasks.filter(assisted=assisted)).update(active_ms=ms)
    told = researcher.call("GET", f"/api/rounds/{opened['id']}/machine")
    found = {one["name"]: one for one in told["figures"]}
    assert (told["when"], told["labels"], told["seen"], told["blind"]) == ("beside", 60, 60 - blind, blind)
    assert found["followed_wrong_marks_beside"]["value"] == 1.0
    assert found["followed_wrong_marks_blind"]["value"] == 0.0
    assert found["followed_wrong_marks_difference"]["value"] == 1.0
    assert found["seconds_saved"]["value"] == pytest.approx(3.0)
    page = researcher.get(f"/api/projects/{project.slug}/failures").json()
    trust = figures(page, "over_trust")
    assert (trust["followed_wrong beside marks"]["value"], trust["followed_wrong blind"]["value"]) == (1.0, 0.0)
    assert set(trust["followed_wrong beside marks"]["traces"]) <= set(
        tasks.filter(assisted=True).values_list("trace", flat=True)
    )
    assert trust["changed_after_scores"]["value"] is None  # nobody looked once they had sent theirs
    # A label given next to marks is not a second opinion: it calibrates nothing and teaches nothing.
    close_round(Round.objects.get(pk=opened["id"]), by=None)
    calibration = researcher.call("GET", f"/api/projects/{project.slug}/sources/{judge.pk}/calibration?truth=labels")
    assert calibration["traces"] == blind
    learned = label_ids(project, [opened["id"]], {"aggregate": "each"})
    assert set(Label.objects.filter(pk__in=list(learned)).values_list("task__assisted", flat=True)) <= {False}


def test_marks_beside_the_steps_are_shown_of_an_open_label_alone_and_of_no_blind_task() -> None:
    project = make_project()
    judge, _traces = make_marks(project, 12)
    researcher = Browser(make_member(project, "researcher"))
    assist(researcher, project, judge)
    labeler = make_member(project)
    page = Browser(labeler)
    claim = claim_next_label(labeler, project, prefetch=True)
    label = claim.label
    Task.objects.filter(pk=claim.next.task_id).update(assisted=True)
    page.call("POST", f"/api/labels/{claim.next.pk}/reveal", status=403)
    Task.objects.filter(pk=label.task_id).update(assisted=False)
    assert page.call("GET", f"/api/labels/{label.pk}")["machine"] is None
    page.call("POST", f"/api/labels/{label.pk}/reveal", status=403)
    Task.objects.filter(pk=label.task_id).update(assisted=True)
    [mark] = page.call("POST", f"/api/labels/{label.pk}/reveal")["marks"]
    assert mark["first_error"] == verdict_of(judge, label.task.trace_id)
    label.refresh_from_db()
    assert (label.scores_revealed_at is not None, label.before_reveal) == (True, None)
    submit_label(label, make_submission([1, 1, 1]))
    label.refresh_from_db()
    assert label.edited_after_reveal


def test_a_source_that_has_marked_nothing_cannot_stand_beside_the_steps() -> None:
    project = make_project()
    make_marks(project, 3)
    idle = StepScorer.objects.create(
        project=project, name="idle", kind="judge", fingerprint="i", status="ready", spec={}
    )
    refused = assist(Browser(make_member(project, "researcher")), project, idle, status=400)
    assert "has marked no trace yet" in str(refused)
