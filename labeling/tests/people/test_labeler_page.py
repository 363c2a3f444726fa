"""A labeler's page: gold, with whom and where they agree, pace, haste, comments, pay; n/a where nothing is known."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.actions import labels
from labeling.actions.reviews import settle_task
from labeling.models import Label, Project, StepComment, Trace, User
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.gold.world import plan_gold, project_with_gold

pytestmark = pytest.mark.django_db


def page_of(project: Project, person: User, reader: User | None = None, **expected: int) -> dict[str, Any]:
    """Return the page's data as a researcher gets it."""
    reader = reader or make_member(project, "researcher")
    return Browser(reader).call("GET", f"/api/projects/{project.slug}/labelers/{person.pk}", **expected)


def figure(page: dict[str, Any], name: str) -> dict[str, Any]:
    """One of those under a rule."""
    [found] = [one for one in page["figures"] if one["name"] == name]
    return found


def label_all(project: Project, person: User, *wrong: int, seconds: int = 30) -> list[Label]:
    """Have the person label everything; for the places in `wrong` they mark the second step as wrong."""
    made: list[Label] = []
    while (claimed := labels.claim_next_label(person, project).label) is not None:
        ratings = [1, -1, None] if len(made) in wrong else [1, 1, 1]
        made.append(labels.submit_label(claimed, make_submission(ratings)))
        Label.objects.filter(pk=claimed.pk).update(active_ms=seconds * 1000)
    return made


def test_a_page_says_with_whom_they_agree_and_on_which_traces_not() -> None:
    project = make_project(hourly_rate="30.00", currency="EUR")
    make_round(project, traces=6, overlap=3)
    ada, bo, cy = (make_member(project, display_name=name) for name in ("Ada", "Bo", "Cy"))
    first = label_all(project, ada)
    label_all(project, bo)
    by_trace = {label.task.trace_id: place for place, label in enumerate(first)}
    while (claimed := labels.claim_next_label(cy, project).label) is not None:
        ratings = [1, -1, None] if by_trace[claimed.task.trace_id] < 2 else [1, 1, 1]
        labels.submit_label(claimed, make_submission(ratings))
    settle_task(first[0].task, by=make_member(project, "admin"), ratings=[1, -1, None], finish_reason="found_error")
    StepComment.objects.create(label=first[1], step_index=1, author=ada, text="Divides by x − 2.")
    page = page_of(project, ada)
    peers = {peer["labeler"]["display_name"]: peer for peer in page["peers"]}
    assert (peers["Bo"]["share"]["value"], peers["Bo"]["share"]["n"], peers["Bo"]["differing"]) == (1, 6, [])
    cys = peers["Cy"]
    assert (round(cys["share"]["value"], 3), cys["share"]["clusters"]) == (0.667, 6)
    assert cys["share"]["low"] < 0.667 < cys["share"]["high"]
    assert {one["trace_id"] for one in cys["differing"]} == {label.task.trace_id for label in first[:2]}
    assert [(one["one_verdict"], one["other_verdict"]) for one in cys["differing"]] == [(-1, 1), (-1, 1)]
    agreement = figure(page, "agreement")["share"]
    assert (round(agreement["value"], 3), agreement["n"]) == (0.833, 12)
    assert (page["reviewed"]["value"], page["reviewed"]["n"]) == (0, 1)
    assert page["comments"]["count"] == 1
    assert page["comments"]["latest"][0] | {"at": ""} == {
        "text": "Divides by x − 2.",
        "step": 1,
        "trace_id": first[1].task.trace_id,
        "round": 1,
        "at": "",
    }
    assert (page["labels"], page["paid"]["active_ms"], page["paid"]["money"]) == (6, 180_000, 1.5)
    assert page["pace"]["seconds_a_step"] == 10
    assert [day["labels"] for day in page["pace"]["days"]] == [6]
    assert page["pace"]["drift_a_week"]["value"] is None, "one day shows no drift"


def test_gold_is_told_answer_by_answer_and_haste_by_day() -> None:
    project, round_ = project_with_gold(6, traces=6)
    ada = make_member(project, display_name="Ada")
    plan_gold(round_, ada, [0, 1, 2, 3, 4, 5])
    wrong = 0
    while (claimed := labels.claim_next_label(ada, project).label) is not None:
        missed = claimed.task.kind == "gold" and wrong == 0
        wrong += missed
        ratings = [1, -1, None] if claimed.task.kind == "gold" and not missed else [1, 1, 1]
        labels.submit_label(claimed, make_submission(ratings))
    work = list(Label.objects.filter(labeler=ada, task__kind="work").order_by("pk"))
    for place, label in enumerate(work):
        Label.objects.filter(pk=label.pk).update(
            active_ms=300 if place == 0 else 30_000 + 6_000 * place,
            submitted_at=timezone.now() - timedelta(days=7 * (len(work) - place)),
        )
    page = page_of(project, ada)
    results = page["gold"]["results"]
    assert [one["passed"] for one in results] == [False, True, True, True, True, True]
    assert (results[0]["verdict"], results[0]["acceptable"]) == (-1, [1])
    assert [one["so_far"]["n"] for one in results] == [1, 2, 3, 4, 5, 6]
    assert round(results[-1]["so_far"]["value"], 3) == round(figure(page, "gold")["share"]["value"], 3) == 0.833
    assert figure(page, "gold")["word"] == "cannot_tell"
    assert (figure(page, "hasty")["share"]["n"], round(figure(page, "hasty")["share"]["value"], 3)) == (6, 0.167)
    assert [(day["labels"], day["hasty"]) for day in page["pace"]["days"]] == [(1, 1), *[(1, 0)] * 5]
    drift = page["pace"]["drift_a_week"]
    assert 0.1 < drift["value"] < 0.2, "a sixth of 36 s more every week, the hasty one left out"
    assert drift["clusters"] == 5


def test_a_page_its_rounds_and_the_list_count_the_same_labels_and_time_whatever_gold_took() -> None:
    project, round_ = project_with_gold(2, traces=3)
    ada, reader = make_member(project), make_member(project, "researcher")
    plan_gold(round_, ada, [0, 2])
    label_all(project, ada, seconds=20)
    page = page_of(project, ada, reader)
    [listed] = Browser(reader).call("GET", f"/api/projects/{project.slug}/labelers")["results"]
    of_rounds = [sum(one[name] for one in page["rounds"]) for name in ("labels", "active_ms")]
    assert of_rounds == [page["labels"], 60_000] == [listed["labels"], listed["active_ms"]] == [3, 60_000]
    assert page["paid"]["active_ms"] == 100_000, "the gold is paid for"
    own = Browser(ada).call("GET", f"/api/projects/{project.slug}/my_coaching")["rounds"]
    assert [one["labels"] for one in own] == [5], "who labels is not told gold from work"


def test_a_comment_is_counted_once_however_often_its_label_was_revised() -> None:
    project = make_project()
    make_round(project)
    ada = make_member(project)
    said: dict[str, Any] = {"comments": [{"step": 0, "text": "Odd."}]}
    label = labels.submit_label(labels.claim_next_label(ada, project).label, make_submission([1, 1, 1], **said))
    labels.revise_label(label, make_submission([1, 0, 1], **said))
    assert StepComment.objects.count() == 2
    comments = page_of(project, ada)["comments"]
    assert (comments["count"], [one["text"] for one in comments["latest"]]) == (1, ["Odd."])


def test_nothing_is_said_of_whom_nothing_is_known_and_strangers_are_not_found() -> None:
    project = make_project()
    new = make_member(project, display_name="New")
    page = page_of(project, new)
    assert [one["word"] for one in page["figures"]] == ["not_yet"] * 3
    assert (page["labels"], page["peers"], page["paid"]["money"], page["role"]) == (0, [], None, "annotator")
    page_of(project, make_member(make_project()), status=404)
    page_of(project, new, reader=new, status=403)


def test_a_trace_that_the_reader_is_labeling_is_named_nowhere_and_more_labels_cost_no_more_statements() -> None:
    project = make_project()
    make_round(project, traces=2, overlap=3)
    ada, bo = make_member(project), make_member(project)
    reader = make_member(project, "researcher")
    for place, label in enumerate(label_all(project, ada)):
        StepComment.objects.create(label=label, step_index=0, author=ada, text=f"Odd {place}.")
    with CaptureQueriesContext(connection) as few:
        page_of(project, ada, reader)
    label_all(project, bo, 0, 1)
    with CaptureQueriesContext(connection) as many:
        page = page_of(project, ada, reader)
    assert len(many) <= len(few) + 2, "people, and where the two differ"
    assert (page["comments"]["count"], len(page["peers"][0]["differing"])) == (2, 2)
    held = labels.claim_next_label(reader, project).label
    page = page_of(project, ada, reader)
    [other] = Trace.objects.exclude(pk=held.task.trace_id).filter(project=project)
    assert [one["trace_id"] for one in page["comments"]["latest"]] == [other.pk]
    assert [one["trace_id"] for one in page["peers"][0]["differing"]] == [other.pk]
