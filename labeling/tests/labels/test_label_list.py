"""A project's list of labels: searched, counted, changed in bulk, with every change undoable."""

import csv
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling import queries
from labeling.actions import label_changes, labels
from labeling.actions.label_changes import change_labels
from labeling.actions.step_scorer_promotions import promote_prm
from labeling.models import AuditEvent, Label, LabelTag, Problem, Project, Score, StepComment, Task, Trace, User
from labeling.queries.training_examples import label_ids as learned_ids
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.selection.pools import make_prm

pytestmark = pytest.mark.django_db
EXPORTED = {"surplus": "include", "gold": "include", "imported": "include", "hasty": "include", "aggregate": "each"}


class Labeled:
    """Two labelers and a researcher; 4 traces labeled by both, who differ on the first; Bo is hasty on the second."""

    def __init__(self) -> None:
        self.project = factories.make_project()
        self.ada = factories.make_member(self.project, display_name="Ada")
        self.bo = factories.make_member(self.project, display_name="Bo")
        self.researcher = factories.make_member(self.project, "researcher")
        self.round = factories.make_round(self.project, 4, overlap=2)
        self.traces = list(Trace.objects.filter(project=self.project).order_by("pk"))
        for who in (self.ada, self.bo):
            for place in range(4):
                self.label(
                    who, differs=who is self.bo and place == 0, ms=600 if who is self.bo and place == 1 else 30_000
                )
        self.page = Browser(self.researcher)
        self.base = f"/api/projects/{self.project.slug}"

    def label(self, who: User, *, differs: bool, ms: int) -> Label:
        """Submit the next label of a labeler, with the active time `ms`."""
        label = labels.claim_next_label(who, self.project).label
        ratings = [1, -1, None] if differs else [1, 1, 1]
        made = labels.submit_label(label, factories.make_submission(ratings, idempotency_key=uuid4()))
        Label.objects.filter(pk=made.pk).update(active_ms=ms)
        return made

    def rows(self, query: str = "") -> list[dict[str, Any]]:
        """Return rows of the list."""
        return self.page.call("GET", f"{self.base}/labels?{query}")["results"]

    def facets(self, query: str = "") -> dict[str, Any]:
        """Return counts by facet and value."""
        found = self.page.call("GET", f"{self.base}/labels/facets?{query}")
        return {**found, **{one["name"]: {v["value"]: v["labels"] for v in one["values"]} for one in found["facets"]}}

    def exported(self, aggregate: str = "each") -> set[int]:
        """Return the labels that an export of everything now contains."""
        return set(queries.exports.label_ids(self.project, {}, {**EXPORTED, "aggregate": aggregate}))

    def change(self, kind: str, status: int = 201, **asked: Any) -> dict[str, Any]:
        """Send a change as the page does."""
        return self.page.call("POST", f"{self.base}/label_changes", {"kind": kind, **asked}, status=status)

    def undo(self, change: int, status: int = 200) -> dict[str, Any]:
        """Undo a change as the page does."""
        return self.page.call("POST", f"/api/label_changes/{change}/undo", status=status)


@pytest.fixture
def labeled() -> Labeled:
    return Labeled()


def test_labels_are_found_by_every_filter_and_facets_count_what_each_value_would_find(labeled: Labeled) -> None:
    disputed = Label.objects.get(labeler=labeled.bo, verdict=1)
    hasty = Label.objects.get(labeler=labeled.bo, active_ms=600)
    assert [row["id"] for row in labeled.rows()] == sorted((row["id"] for row in labeled.rows()), reverse=True)
    for query, count in {
        f"labeler={labeled.ada.pk}": 4,
        f"round={labeled.round.pk}": 8,
        f"round={labeled.round.pk + 99}": 0,
        "verdict=error": 1,
        "verdict=no_error": 7,
        "step=1": 1,
        "step=0": 0,
        "pace=under_2": 1,
        "pace=5_to_15": 6,
        "pace=15_to_60": 1,
        "agreement=differs": 2,
        "agreement=agrees": 6,
        "agreement=alone": 0,
        "source=person": 8,
        "source=imported": 0,
        "kind=work": 8,
        "kind=gold": 0,
        "reviewed=yes": 0,
        "excluded=no": 8,
        "tag=odd": 0,
        "why=hasty": 1,
        "why=disputed": 2,
        "why=surprising": 0,
        "why=any": 3,
        f"why=disputed&labeler={labeled.ada.pk}": 1,
        "since=2020-01-01T00:00Z": 8,
        "until=2020-01-01T00:00Z": 0,
        f"q=STEP 1 of {labeled.traces[0].problem_id}.": 2,
        "q=Step _ of": 0,
    }.items():
        found = labeled.rows(query)
        facets = labeled.facets(query)
        assert (query, len(found), facets["total"], facets["all"]) == (query, count, count, 8)
    [row] = labeled.rows("why=hasty")
    assert (row["id"], row["hasty"], row["seconds_a_step"], row["agreement"]) == (hasty.pk, True, 0.2, "agrees")
    [row] = labeled.rows("step=1")
    assert (row["id"], row["ratings"], row["excerpt_step"]) == (disputed.pk, [1, -1, None], 1)
    assert row["excerpt"] == Trace.objects.get(pk=row["trace_id"]).steps[1]
    everything = labeled.facets()
    for facet in everything["facets"]:
        for one in facet["values"]:
            assert len(labeled.rows(f"{facet['name']}={one['value']}")) == one["labels"], (facet["name"], one)
    assert everything["labeler"] == {str(labeled.ada.pk): 4, str(labeled.bo.pk): 4}
    assert everything["verdict"] == {"no_error": 7, "error": 1}
    assert everything["why"] == {"hasty": 1, "disputed": 2}
    assert sum(everything["pace"].values()) == everything["total"] == 8
    narrowed = labeled.facets(f"labeler={labeled.ada.pk}&agreement=differs")
    assert narrowed["labeler"] == {str(labeled.ada.pk): 1, str(labeled.bo.pk): 1}, "beside the other filters alone"
    assert narrowed["agreement"] == {"agrees": 3, "differs": 1}
    assert labeled.page.call("GET", f"{labeled.base}/labels?why=odd", status=400)["fields"]["why"]


def test_a_page_costs_as_many_statements_whatever_there_is_and_pages_join_without_a_gap(labeled: Labeled) -> None:
    with CaptureQueriesContext(connection) as two:
        first = labeled.page.call("GET", f"{labeled.base}/labels?limit=2")
    with CaptureQueriesContext(connection) as many:
        whole = labeled.rows()
    assert len(two) == len(many)
    seen, following = [row["id"] for row in first["results"]], first["next"]
    while following:
        page = labeled.page.call("GET", f"{labeled.base}/labels?limit=2&cursor={following}")
        seen += [row["id"] for row in page["results"]]
        following = page["next"]
    assert seen == [row["id"] for row in whole]


def test_the_selector_says_which_labels_surprise_it_but_of_traces_that_it_learned_nothing(labeled: Labeled) -> None:
    prm = make_prm(project=labeled.project)
    for place, trace in enumerate(labeled.traces):
        p = 0.02 if place == 2 else 0.9
        about = {"project": labeled.project, "problem": trace.problem, "outcome": "wrong", "draw": 0}
        Score.objects.create(scorer=prm, trace=trace, steps=[0.9, p, 0.9], score=p, **about)
    assert labeled.rows("why=surprising") == [], "nothing selects here yet"
    promote_prm(labeled.project, prm, by=labeled.researcher)
    found = labeled.rows("why=surprising")
    assert {row["trace_id"] for row in found} >= {labeled.traces[2].pk}
    [row] = [row for row in found if row["trace_id"] == labeled.traces[2].pk and row["labeler"]["id"] == labeled.ada.pk]
    assert row["least_likely_step"] == 1
    assert row["surprisal"] == pytest.approx(3.912, abs=1e-3)


def test_an_excluded_label_is_in_no_export_training_or_measuring_until_that_is_undone(labeled: Labeled) -> None:
    hasty = Label.objects.get(labeler=labeled.bo, active_ms=600)
    switches = {"aggregate": "each", "surplus": "include", "imported": "include", "hasty": "include"}

    def learned() -> set[int]:
        return set(learned_ids(labeled.project, [labeled.round.pk], switches))

    taught = learned()
    assert hasty.pk in labeled.exported()
    change = labeled.change("exclude", filters={"why": "hasty"}, because="One afternoon.")
    assert (change["labels"], change["because"]) == (1, "One afternoon.")
    assert hasty.pk not in labeled.exported()
    assert learned() == taught - {hasty.pk}
    assert [row["id"] for row in labeled.rows("excluded=yes")] == [hasty.pk]
    event = AuditEvent.objects.get(action="labels.exclude")
    assert (event.actor, event.detail["labels"]) == (labeled.researcher, 1)
    assert labeled.change("exclude", ids=[hasty.pk], status=422)["code"] == "no_labels_changed"

    assert labeled.undo(change["id"])["undone_by"]["id"] == labeled.researcher.pk
    assert hasty.pk in labeled.exported()
    assert learned() == taught
    assert labeled.undo(change["id"], status=409)["code"] == "label_change_undone"
    assert AuditEvent.objects.filter(action="labels.undo").count() == 1


def test_of_a_disputed_task_the_label_that_is_not_excluded_stands_for_it(labeled: Labeled) -> None:
    disputed = Label.objects.get(labeler=labeled.bo, verdict=1)
    other = Label.objects.get(labeler=labeled.ada, task=disputed.task)
    assert not {disputed.pk, other.pk} & labeled.exported("adjudicated")
    labeled.change("exclude", ids=[disputed.pk])
    assert {disputed.pk, other.pk} & labeled.exported("adjudicated") == {other.pk}


def test_a_label_left_out_by_hand_is_in_no_agreement_sends_no_rating_to_review_and_is_marked(labeled: Labeled) -> None:
    disputed = Label.objects.get(labeler=labeled.bo, verdict=1)
    Label.objects.filter(pk=disputed.pk).update(confirmations=[{"code": "all_good", "reason": "It is."}])
    StepComment.objects.create(label=disputed, author=labeled.bo, step_index=0, text="Is this allowed?")

    def agreement() -> tuple[int, float]:
        found = labeled.page.call("GET", f"{labeled.base}/agreement")
        return found["traces"], found["figures"]["exact"]["value"]

    def waits(query: str = "") -> dict[str, int]:
        kinds = labeled.page.call("GET", f"{labeled.base}/reviews/counts{query}")["kinds"]
        return {kind: count for kind, count in kinds.items() if count}

    assert agreement() == (4, 0.75)
    before = waits()
    assert before == waits(f"?round={labeled.round.pk}")
    assert (before["contradiction"], before["comment"]) == (1, 1)
    assert waits(f"?round={labeled.round.pk + 1}") == {}
    labeled.change("exclude", ids=[disputed.pk])
    assert agreement() == (3, 1.0)
    assert waits() == {"comment": 1}, "what a labeler asks is still read"
    shown = labeled.page.call("GET", f"/api/tasks/{disputed.task_id}/review")["task"]["labels"]
    assert {label["id"]: label["excluded"] for label in shown}[disputed.pk] is True
    assert sum(label["excluded"] for label in shown) == 1


def test_tags_find_labels_again_and_undoing_takes_off_only_what_was_put_on(labeled: Labeled) -> None:
    first, *rest = [row["id"] for row in labeled.rows()]
    labeled.change("tag", ids=[first], tag="ask Bo")
    change = labeled.change("tag", filters={}, tag="ask Bo")
    assert change["labels"] == len(rest)
    assert len(labeled.rows("tag=ask Bo")) == 8
    assert labeled.facets()["tags"] == ["ask Bo"]
    labeled.undo(change["id"])
    assert [(row["id"], row["tags"]) for row in labeled.rows("tag=ask Bo")] == [(first, ["ask Bo"])]
    assert labeled.change("untag", ids=[first], tag="ask Bo")["labels"] == 1
    assert labeled.change("tag", ids=[first], status=400)["fields"]["tag"]
    assert (
        "not contain a semicolon" in labeled.change("tag", ids=[first], tag="odd; one", status=400)["fields"]["tag"][0]
    )
    assert labeled.change("tag", tag="x", status=400)["fields"]["ids"]


@pytest.mark.parametrize("tag", ["odd; one", "odd\none"])
def test_a_tag_of_before_that_none_may_be_today_can_be_taken_off(labeled: Labeled, tag: str) -> None:
    first = labeled.rows()[0]["id"]
    LabelTag.objects.create(label_id=first, tag=tag)
    assert labeled.change("tag", ids=[first], tag=tag, status=400)["fields"]["tag"]
    assert labeled.change("untag", ids=[first], tag=tag)["labels"] == 1
    assert labeled.facets()["tags"] == []


def test_labels_sent_to_review_make_their_tasks_wait_and_undoing_takes_them_back(labeled: Labeled) -> None:
    agreed = Label.objects.get(labeler=labeled.bo, active_ms=600)
    before = queries.reviews.waiting_counts(labeled.project)
    change = labeled.change("review", ids=[agreed.pk])
    counts = queries.reviews.waiting_counts(labeled.project)
    assert (counts["tasks"], counts["kinds"]["asked_for"]) == (before["tasks"] + 1, 1)
    assert agreed.task in queries.reviews.waiting_tasks(labeled.project, "asked_for")
    labeled.page.call(
        "POST", f"/api/tasks/{agreed.task_id}/dismiss", {"kinds": ["asked_for"], "reason": "It is right."}
    )
    assert queries.reviews.waiting_counts(labeled.project) == before
    assert [row["id"] for row in labeled.rows("reviewed=yes")] == sorted(
        Label.objects.filter(task=agreed.task).values_list("pk", flat=True), reverse=True
    )
    labeled.undo(change["id"])
    assert queries.reviews.waiting_counts(labeled.project) == before


def test_a_label_asked_for_again_is_given_to_somebody_else_and_undoing_takes_back_what_nobody_took(
    labeled: Labeled,
) -> None:
    asked = [row["id"] for row in labeled.rows("pace=under_2")]
    change = labeled.change("relabel", ids=asked)
    cy = factories.make_member(labeled.project)
    assert labels.claim_next_label(labeled.ada, labeled.project).label is None, "who did it is not asked again"
    again = labels.claim_next_label(cy, labeled.project).label
    assert again is not None
    assert again.task == Label.objects.get(pk=asked[0]).task
    labeled.undo(change["id"])
    assert Task.objects.get(pk=again.task_id).labels_wanted == 0

    waiting = labeled.change("relabel", filters={})
    assert waiting["labels"] == 4, "one for each task"
    labeled.undo(waiting["id"])
    assert labels.claim_next_label(factories.make_member(labeled.project), labeled.project).label is None
    Task.objects.filter(round=labeled.round).update(settlement="ruled", settled_at=timezone.now())
    assert "Send them to review" in labeled.change("relabel", filters={}, status=422)["detail"]


def test_what_the_reader_labels_at_the_moment_is_neither_listed_nor_counted_nor_changed(labeled: Labeled) -> None:
    wanted = Task.objects.filter(round=labeled.round).order_by("pk").first()
    assert wanted is not None
    Task.objects.filter(pk=wanted.pk).update(labels_wanted=1)
    held = labels.claim_next_label(labeled.researcher, labeled.project).label
    assert held is not None
    assert len(labeled.rows()) == 6
    assert labeled.facets()["all"] == 6
    hidden = Label.objects.filter(task=held.task, status="submitted").values_list("pk", flat=True)
    labeled.change("exclude", ids=list(hidden), status=422)


def test_views_are_kept_by_person_under_a_name_and_forgotten_alone(labeled: Labeled) -> None:
    views = f"{labeled.base}/label_views"
    labeled.page.call("POST", views, {"name": "Bo", "filters": {"labeler": str(labeled.bo.pk)}}, status=201)
    kept = labeled.page.call("POST", views, {"name": "Bo", "filters": {"why": "hasty"}}, status=201)
    assert labeled.page.call("GET", views)["results"] == [kept]
    assert kept["filters"] == {"why": "hasty"}
    other = Browser(factories.make_member(labeled.project, "researcher"))
    assert other.call("GET", views)["results"] == []
    other.call("POST", f"/api/label_views/{kept['id']}/remove", status=404)
    assert "No filter is called" in str(
        labeled.page.call("POST", views, {"name": "x", "filters": {"a": "b"}}, status=400)
    )
    assert labeled.page.call("POST", f"/api/label_views/{kept['id']}/remove")["results"] == []


def test_the_table_holds_every_label_that_fits_with_what_is_known_of_it(labeled: Labeled) -> None:
    answer = labeled.page.send("GET", f"{labeled.base}/labels.csv?why=disputed", None)
    head, *rows = csv.reader(answer.content.decode().splitlines())
    assert len(rows) == 2
    told = [dict(zip(head, row, strict=True)) for row in rows]
    assert {(one["labeler"], one["first error step"], one["agreement"]) for one in told} == {
        ("Ada", "0", "differs"),
        ("Bo", "2", "differs"),
    }


def test_the_table_says_seconds_to_a_millisecond_and_none_where_nothing_was_timed(labeled: Labeled) -> None:
    timed, untimed = Label.objects.filter(labeler=labeled.ada).order_by("pk")[:2]
    Label.objects.filter(pk=timed.pk).update(active_ms=2_000)
    Label.objects.filter(pk=untimed.pk).update(active_ms=0)
    answer = labeled.page.send("GET", f"{labeled.base}/labels.csv?labeler={labeled.ada.pk}", None)
    told = {row["label"]: row["seconds a step"] for row in csv.DictReader(answer.content.decode().splitlines())}
    assert (told[str(timed.pk)], told[str(untimed.pk)]) == ("0.667", "")


def test_a_label_of_the_list_says_which_problem_it_is_of(labeled: Labeled) -> None:
    trace = labeled.traces[0]
    Problem.objects.filter(pk=trace.problem_id).update(text="Marisa gets a $5 allowance. " * 10)
    said = {row["trace_id"]: row["problem_text"] for row in labeled.rows()}
    assert said[trace.pk] == ("Marisa gets a $5 allowance. " * 10)[:160]
    other = labeled.traces[1]
    assert said[other.pk] == other.problem.text


def test_nothing_is_done_to_labels_of_an_archived_project(labeled: Labeled) -> None:
    change = change_labels(labeled.project, by=labeled.researcher, kind="exclude", filters={})
    Project.objects.filter(pk=labeled.project.pk).update(status="archived")
    assert labeled.change("include", filters={}, status=409)["code"] == "project_archived"
    labeled.project.refresh_from_db()
    assert labeled.undo(change.pk, status=409)["code"] == "project_archived"
    assert timezone.now() - change.at < timedelta(minutes=5)


def test_views_and_labels_changed_at_once_have_a_limit_that_is_told(
    labeled: Labeled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_changes, "MOST_VIEWS", 1)
    monkeypatch.setattr(label_changes, "MOST", 3)
    views = f"{labeled.base}/label_views"
    labeled.page.call("POST", views, {"name": "First", "filters": {"why": "hasty"}}, status=201)
    labeled.page.call("POST", views, {"name": "First", "filters": {"why": "disputed"}}, status=201)
    second = labeled.page.call("POST", views, {"name": "Second", "filters": {"why": "hasty"}}, status=400)
    assert second["fields"] == {"name": ["You already have 1 views. Remove one first."]}
    assert len(labeled.page.call("GET", views)["results"]) == 1
    refused = labeled.change("exclude", filters={}, status=400)
    assert refused["fields"] == {"filters": ["More than 3 labels fit. Narrow the filters."]}
    assert not Label.objects.filter(excluded=True).exists()
