"""A labeler's diary: every label, searchable by its contents, at a constant cost."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.actions import labels
from labeling.api import pages
from labeling.models import Label, Problem, Task
from labeling.tests import factories
from labeling.tests.accounts import Browser

pytestmark = pytest.mark.django_db


def test_labels_are_found_by_words_and_result_page_by_page_with_as_many_statements_whatever_there_is() -> None:
    project = factories.make_project()
    ada, eve = factories.make_member(project), factories.make_member(project)
    factories.make_round(project, 12)
    for done in range(9):
        label = labels.claim_next_label(ada, project).label
        said = [1, -1, None] if done % 3 == 0 else [1, 1, 1]
        labels.submit_label(label, factories.make_submission(said, idempotency_key=uuid4()))
    given_up = labels.claim_next_label(ada, project).label
    labels.submit_label(
        given_up,
        factories.make_submission(
            [None] * 3, finish_reason="give_up", finish_detail={"text": "x"}, idempotency_key=uuid4()
        ),
    )
    Problem.objects.filter(traces__tasks__labels=given_up).update(text="50% of A_B are triangles")
    page, base = Browser(ada), f"/api/projects/{project.slug}/my_labels"

    def asked(query: str) -> list[dict[str, Any]]:
        return page.call("GET", f"{base}?{query}")["results"]

    assert [len(asked(f"result={result}")) for result in ("error", "no_error", "give_up", "bad_problem")] == [
        3,
        6,
        1,
        0,
    ]
    assert len(asked("search=TRIANGLES")) == len(asked("search=50%25 of")) == 1
    assert asked("search=AxB") == asked("search=5_%25") == [], "signs of patterns are letters"
    assert page.call("GET", f"{base}?result=gold", status=400)["fields"]["result"]
    assert Browser(eve).call("GET", base)["results"] == []

    with CaptureQueriesContext(connection) as few:
        first = page.call("GET", f"{base}?limit=4")
    newest = first["results"][0]["id"]
    assert page.call("GET", f"{base}?limit=4&cursor={first['next']}")["results"][0]["id"] < newest
    for label in Label.objects.filter(status="submitted", finish_reason="solution"):
        label = labels.revise_label(label, factories.make_submission([1, 0, 1], idempotency_key=uuid4()))
        labels.revise_label(label, factories.make_submission([1, 0, 0], idempotency_key=uuid4()))
    with CaptureQueriesContext(connection) as many:
        rows = page.call("GET", f"{base}?limit=200")["results"]
    assert len(rows) == 10
    assert len(many) == len(few) + 2, "a statement for each generation of revisions, none for each label"
    assert len({row["can_revise_until"] for row in rows if row["finish_reason"] == "solution"}) == 6


def test_only_hasty_labels_are_listed_where_they_are_asked_for_and_are_those_that_the_diary_marks() -> None:
    project = factories.make_project()
    ada, eve = factories.make_member(project), factories.make_member(project)
    factories.make_round(project, 8)
    for who, active_ms in [(ada, 500), (ada, 60_000), (ada, 0), (eve, 500), (ada, 90_000)]:
        label = labels.claim_next_label(who, project).label
        said = [1, -1, None] if active_ms == 500 else [1, 1, 1]
        labels.submit_label(label, factories.make_submission(said, idempotency_key=uuid4()))
        Label.objects.filter(pk=label.pk).update(active_ms=active_ms)
    base = f"/api/projects/{project.slug}/my_labels"

    def asked(query: str = "") -> list[int]:
        return [row["id"] for row in Browser(ada).call("GET", f"{base}?{query}")["results"]]

    marked = [row["id"] for row in Browser(ada).call("GET", base)["results"] if row["hasty"]]
    assert asked("hasty=true") == marked
    assert len(marked) == 2, "one of them in no time"
    assert len(asked("hasty=true&result=error")) == len(asked("hasty=true&result=no_error")) == 1
    assert asked("hasty=true&result=unfinished") == []
    assert asked("hasty=false") == asked("hasty=") == asked()
    assert Browser(ada).call("GET", f"{base}?hasty=perhaps", status=400)["fields"]["hasty"]
    Task.objects.filter(labels=marked[0]).update(kind="gold")
    assert asked("hasty=true") == marked, "gold is not told from work"
    project.rounds.update(imported=True)
    assert asked("hasty=true") == [], "imported labels have the times of another tool"


def test_a_search_looks_at_so_many_labels_at_a_time_and_goes_on_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 7)
    done = []
    for _ in range(7):
        label = labels.claim_next_label(ada, project).label
        done.append(labels.submit_label(label, factories.make_submission(idempotency_key=uuid4())))
    Problem.objects.filter(traces__tasks__labels__in=[done[0].pk, done[4].pk]).update(text="A triangle")
    monkeypatch.setattr(pages, "LOOKED_AT", 2)
    page, address = Browser(ada), f"/api/projects/{project.slug}/my_labels?search=triangle&limit=1"
    found, cursor = [], ""
    while cursor is not None:
        answer = page.call("GET", f"{address}&cursor={cursor}")
        found.append([row["id"] for row in answer["results"]])
        cursor = answer["next"]
    # Two at a time, newest first; a page ends where it is full.
    assert found == [[], [done[4].pk], [], [done[0].pk]]


def test_coaching_says_where_ones_labels_differ_from_what_was_settled_once_they_may_be_compared() -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    round_ = factories.make_round(project, 3)
    for said in ([1, -1, None], [1, 1, 1], [1, 1, 1]):
        label = labels.claim_next_label(ada, project).label
        labels.submit_label(label, factories.make_submission(said, idempotency_key=uuid4()))
    late, missed, right = Label.objects.filter(labeler=ada).order_by("pk")
    settled = {"settlement": "ruled", "settled_at": late.submitted_at}
    for label, verdict in ((late, 0), (missed, 2), (right, -1)):
        Task.objects.filter(pk=label.task_id).update(verdict=verdict, **settled)
    page, path = Browser(ada), f"/api/projects/{project.slug}/my_coaching"
    told = page.call("GET", path)["differences"]
    assert (told["compared"], told["differed"]) == (3, 2)
    assert [(one["label_id"], one["verdict"], one["settled"]) for one in told["latest"]] == [
        (missed.pk, -1, 2),
        (late.pk, 1, 0),
    ]
    type(round_).objects.filter(pk=round_.pk).update(gold_count=1)
    assert page.call("GET", path)["differences"] == {"compared": 0, "differed": 0, "latest": []}, (
        "gold is never settled"
    )
    Task.objects.filter(pk=late.task_id).update(verdict=None)
    type(round_).objects.filter(pk=round_.pk).update(gold_count=0)
    assert page.call("GET", path)["differences"]["latest"][1]["settled"] is None, "a bad problem"


def test_the_diary_marks_what_was_rated_faster_than_anybody_reads() -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 4)
    done = []
    for _ in range(3):
        label = labels.claim_next_label(ada, project).label
        done.append(labels.submit_label(label, factories.make_submission(idempotency_key=uuid4())))
    for label, active_ms in zip(done, (500, 30_000, 0), strict=True):
        Label.objects.filter(pk=label.pk).update(active_ms=active_ms)
    labels.claim_next_label(ada, project)
    page = Browser(ada)
    diary = {row["id"]: row["hasty"] for row in page.call("GET", f"/api/projects/{project.slug}/my_labels")["results"]}
    assert [diary[label.pk] for label in done] == [True, False, True]
    assert page.call("GET", f"/api/projects/{project.slug}/my_stats")["hasty"] == sum(diary.values())
