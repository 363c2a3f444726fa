"""Agreement over the API: the figures of `statistics.agreement` over the right labels, filtered, named, and cached."""

import csv
import io

import pytest
from django.core.cache import cache

from labeling.actions import labels
from labeling.models import Label, Problem, Task
from labeling.statistics.agreement import Labeled, agreement
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.settling.disagreeing import RIGHT, WRONG_AT_1, WRONG_AT_2, say

pytestmark = pytest.mark.django_db
SAID = {"ada": (RIGHT, WRONG_AT_1, WRONG_AT_2, RIGHT), "ben": (RIGHT, WRONG_AT_2, WRONG_AT_2, WRONG_AT_1)}


@pytest.fixture(autouse=True)
def _nothing_kept():
    cache.clear()


def labeled_twice():
    """A project with four traces that Ada and Ben labeled, one of another subject."""
    project = make_project()
    round_ = make_round(project, traces=4, overlap=2)
    people = {name: make_member(project, username=f"{name}-{project.pk}", display_name=name) for name in SAID}
    for name, said in SAID.items():
        for ratings in said:
            say(people[name], project, ratings)
    first = round_.tasks.order_by("order_key").first()
    Problem.objects.exclude(pk=first.trace.problem_id).update(subject="algebra")
    Problem.objects.filter(pk=first.trace.problem_id).update(subject="geometry")
    return project, people, Browser(make_member(project, "researcher"))


def test_the_figures_are_those_of_the_labels_and_name_the_pair():
    project, people, browser = labeled_twice()
    found = browser.call("GET", f"/api/projects/{project.slug}/agreement")
    told = [
        Labeled(trace, name, ratings, *(("found_error", ratings.index(-1)) if -1 in ratings else ("solution", -1)))
        for name, said in SAID.items()
        for trace, ratings in enumerate(said)
    ]
    expected = agreement(told)
    assert (found["traces"], found["labels"]) == (4, 8)
    for name in ("alpha", "exact", "within_one", "has_error", "distance"):
        assert found["figures"][name]["value"] == pytest.approx(getattr(expected, name).value), name
        assert found["figures"][name]["n"] == getattr(expected, name).n
    [pair] = found["pairs"]
    assert {pair["one"]["display_name"], pair["other"]["display_name"]} == set(SAID)
    assert pair["figures"]["kappa_has_error"]["value"] == pytest.approx(0.5)
    assert [(part["name"], part["traces"]) for part in found["by_subject"]] == [("algebra", 3), ("geometry", 1)]
    ids = [people["ada"].pk, people["ben"].pk]
    narrowed = browser.call("GET", f"/api/projects/{project.slug}/agreement?one={ids[0]}&other={ids[1]}")
    cells = {(cell["one"], cell["other"]): cell["n"] for cell in narrowed["finish_reasons"]}
    disputed = browser.call("GET", f"/api/projects/{project.slug}/agreement/disputed?one={ids[0]}&other={ids[1]}")
    said = [(one["one_verdict"], one["other_verdict"]) for one in disputed["results"]]
    assert (disputed["count"], said) == (2, [(-1, 1), (1, 2)])  # an error against none comes first
    turned = browser.call("GET", f"/api/projects/{project.slug}/agreement/disputed?one={ids[1]}&other={ids[0]}")
    assert [(one["one_verdict"], one["other_verdict"]) for one in turned["results"]] == [(1, -1), (2, 1)]
    browser.call("GET", f"/api/projects/{project.slug}/agreement/disputed?one={ids[1]}", status=400)
    assert cells == {("solution", "solution"): 1, ("found_error", "found_error"): 2, ("solution", "found_error"): 1}


def test_what_is_undefined_is_not_a_number_and_says_why():
    project, _, browser = labeled_twice()
    path = f"/api/projects/{project.slug}/agreement"
    alpha = browser.call("GET", f"{path}?subject=geometry")["figures"]["alpha"]
    assert (alpha["value"], alpha["why"]) == (None, "no_variation")
    nothing = browser.call("GET", f"{path}?subject=physics")
    assert (nothing["traces"], nothing["figures"]["exact"]["why"]) == (0, "nothing_shared")
    rows = list(csv.reader(io.StringIO(browser.send("GET", f"{path}.csv").content.decode())))
    assert rows[0] == ["of", "name", "figure", "value", "low", "high", "n"]
    assert ["subject", "geometry", "alpha", "n/a"] in [row[:4] for row in rows]


def test_gold_surplus_and_superseded_labels_are_left_out_and_a_change_is_seen_at_once():
    project, _, browser = labeled_twice()
    path = f"/api/projects/{project.slug}/agreement"
    assert browser.call("GET", path)["figures"]["exact"]["value"] == 0.5
    label = Label.objects.filter(labeler__display_name="ada", finish_reason="found_error").first()
    assert label is not None
    labels.revise_label(label, make_submission(WRONG_AT_2))
    assert browser.call("GET", path)["figures"]["exact"]["value"] == 0.75
    tasks = list(Label.objects.filter(status="submitted").values_list("task", flat=True).distinct())
    Label.objects.filter(task=tasks[0], labeler__display_name="ben").update(surplus=True)
    Task.objects.filter(pk=tasks[1]).update(kind="gold")
    assert browser.call("GET", path)["traces"] == 2


def test_the_first_labels_alone_leave_out_who_was_asked_because_two_differed():
    project = make_project()
    make_round(project, overlap=2, overlap_most=3, overlap_needed=2)
    for ratings in (RIGHT, WRONG_AT_1, RIGHT):
        say(make_member(project), project, ratings)
    browser = Browser(make_member(project, "researcher"))
    path = f"/api/projects/{project.slug}/agreement"
    assert browser.call("GET", path)["figures"]["exact"]["value"] == pytest.approx(1 / 3)
    assert browser.call("GET", f"{path}?base=true")["figures"]["exact"]["value"] == 0


def test_the_same_labels_have_one_figure_on_their_rounds_page_on_agreement_and_on_home():
    project = make_project()
    round_ = make_round(project, traces=4, overlap=2, overlap_most=3, overlap_needed=2)
    bad = {"finish_reason": "bad_problem", "finish_detail": {"kind": "vague", "text": "Which one?"}}
    first = [(RIGHT, {}), (RIGHT, {}), (WRONG_AT_1, {}), ([None] * 3, bad)]
    second = [(ratings, {}) for ratings in (RIGHT, WRONG_AT_1, WRONG_AT_2, RIGHT)]
    third = [(RIGHT, {})] * 3  # of those on which the two differ
    for said in (first, second, third):
        person = make_member(project)
        for ratings, fields in said:
            say(person, project, ratings, **fields)
    browser = Browser(make_member(project, "researcher"))
    path = f"/api/projects/{project.slug}"
    narrowed = browser.call("GET", f"{path}/agreement?round={round_.pk}")["figures"]["exact"]
    assert (narrowed.pop("value"), narrowed.pop("n"), narrowed.pop("why")) == (pytest.approx(3 / 8), 8, None)
    figures = browser.call("GET", f"/api/rounds/{round_.pk}/figures")["figures"]
    of_round = next(one["estimate"] for one in figures if one["name"] == "agreement")
    quality = browser.call("GET", f"{path}/home")["quality"]
    of_home = next(one["share"] for one in quality if one["name"] == "agreement")
    for found in (of_round, of_home):
        assert found == {**narrowed, "value": pytest.approx(3 / 8), "n": 8}


def test_a_second_look_takes_few_queries_whatever_the_number_of_labels(django_assert_num_queries):
    project, _, browser = labeled_twice()
    path = f"/api/projects/{project.slug}/agreement"
    first = browser.call("GET", path)
    with django_assert_num_queries(8):  # person, project, its size, snapshot, names, rounds, subjects, levels
        assert {**browser.call("GET", path), "as_of": ""} == {**first, "as_of": ""}
