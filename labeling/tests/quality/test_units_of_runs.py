"""Screening, gold, overlap, agreement and label audits of agent runs count units, including those after a -1."""

from typing import Any

import pytest

from labeling.actions import rounds
from labeling.actions.gold import make_gold
from labeling.models import GoldResult, Label, Membership, Project, Task, Trace
from labeling.quality.consensus import AskedOverlap
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.quality.test_decisive_errors import run
from labeling.tests.selection.pools import make_prm
from labeling.tests.settling.label_audits import SURE, made, score

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
Json = dict[str, Any]


def say(labeler: Labeler, ratings: list[int | None]) -> Json:
    """Submit the labeler's next task, rated like this to its end."""
    label: Json = labeler.claim()["label"]
    labeler.submit(label, ratings)
    return label


def reader(project: Project) -> Browser:
    return Browser(make_member(project, Membership.Role.ADMIN))


def test_screening_and_gold_hold_labelers_to_the_first_error_of_a_run_and_have_it_rated_to_its_end(tmp_path):
    project = make_project(screening=True, screening_tasks=2, gold_per_round=0)
    import_bytes(project, lines(run("one"), run("two"), run("work")), tmp_path)
    for trace in Trace.objects.order_by("pk")[:2]:
        make_gold(trace, acceptable=[1], by=None)
    rounds.open_round(project, by=None)
    ada, eve = (Labeler(project, make_member(project)) for _ in range(2))
    first = ada.claim()["label"]
    assert (first["protocol"], len(first["typed_steps"])) == ("every_step", 7)
    ada.submit(first, [1, -1, 1])
    told = ada.call("GET", f"/api/labels/{first['id']}/feedback")
    shown = [[(step["kind"], step["text"]) for step in one["typed_steps"]] for one in (told, first)]
    assert shown[0] == shown[1], "what was accepted is shown beside the run, not its texts alone"
    say(ada, [1, -1, 0])
    assert (ada.my_quality()["state"], ada.my_quality()["screening"]["passed"]) == ("working", 2)
    assert say(ada, [1, 1, 1])["problem"]["text"].startswith("work")
    for _ in range(2):
        say(eve, [-1, -1, 1])
    assert (eve.my_quality()["state"], eve.claim()["label"]) == ("retry", None)
    results = GoldResult.objects.order_by("pk").values_list("verdict", "passed")
    assert list(results) == [(1, True), (1, True), (0, False), (0, False)]
    people = reader(project).call("GET", f"/api/projects/{project.slug}/labeler_quality")["labelers"]
    assert {one["labeler"]["id"] for one in people} >= {ada.person.pk, eve.person.pk}


def test_overlap_ends_where_first_errors_agree_and_alpha_counts_every_unit_that_two_rated(tmp_path):
    project = make_project()
    import_bytes(project, lines(run("work")), tmp_path)
    rounds.open_round(project, by=None, overlap=AskedOverlap(2, 2, 3))
    for ratings in ([1, -1, -1], [1, -1, 1]):
        say(Labeler(project, make_member(project)), ratings)
    task = Task.objects.get()
    assert (task.settlement, task.verdict, task.labels_wanted) == ("agreed", 1, 0), "the last unit is no first error"
    figures = reader(project).call("GET", f"/api/projects/{project.slug}/agreement")["figures"]
    assert (figures["exact"]["value"], figures["alpha"]["n"]) == (1.0, 3)
    assert figures["alpha"]["value"] < 1, "they differ on the unit after the first error"


def test_a_label_audit_shows_a_run_whole_and_has_it_rated_to_its_end(tmp_path):
    project = make_project()
    import_bytes(project, lines(run("a"), run("b")), tmp_path)
    rounds.open_round(project, by=None)
    ada = Labeler(project, make_member(project))
    for ratings in ([1, 1, 1], [-1, 1, -1]):
        say(ada, ratings)
    prm = make_prm(project=project)
    for label in Label.objects.select_related("task"):
        score(prm, label, SURE)
    audit = made(project, prm)
    reviewer = reader(project)
    item = reviewer.call("POST", f"/api/label_audits/{audit.pk}/next", {})["item"]
    assert (item["protocol"], [step["kind"] for step in item["typed_steps"]][-1]) == ("every_step", "final")
    place = f"/api/label_audit_items/{item['id']}/typed_steps"
    found = [reviewer.call("GET", f"{place}/{number}")["step"]["text"] for number in range(len(item["typed_steps"]))]
    assert found == [step["text"] for step in item["typed_steps"]]
    ada.call("GET", f"{place}/0", status=404)
    address = f"/api/label_audit_items/{item['id']}/review"
    short = reviewer.call("POST", address, {"ratings": [-1, None, None], "finish_reason": "found_error"}, status=422)
    assert short["missing"][0]["step"] == 1, "rating goes on after the first error"
    reviewer.call("POST", address, {"ratings": [-1, 1, 0], "finish_reason": "found_error"})
