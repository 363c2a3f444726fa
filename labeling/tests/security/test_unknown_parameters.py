"""An unknown parameter of a list is refused, so that a misspelt filter never returns the whole list."""

import pytest

from labeling.models import Project
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round

pytestmark = pytest.mark.django_db

LISTS = (
    *("traces", "labels", "rounds", "tasks", "exports", "imports", "gradings", "training_runs", "evaluations"),
    *("promotions", "releases", "members", "invitations", "my_labels", "label_audits", "audit"),
)


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_round(project, 2)
    return project


@pytest.mark.parametrize("name", LISTS)
def test_each_list_refuses_what_it_does_not_know_and_takes_what_it_does(project: Project, name: str) -> None:
    browser = Browser(make_member(project, "admin"))
    address = f"/api/projects/{project.slug}/{name}"
    browser.call("GET", f"{address}?limit=5")
    said = browser.call("GET", f"{address}?limit=5&limits=5", status=400)
    assert said["fields"]["limits"] == ["There is no such parameter. Did you mean limit?"]
    said = browser.call("GET", f"{address}?zzzz=1", status=400)
    assert "There are " in said["fields"]["zzzz"][0]
    assert "limit" in said["fields"]["zzzz"][0]


def test_who_searches_by_another_name_is_told_what_it_is_called_here(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    for address in ("traces", "traces.csv", "traces/facets"):
        said = browser.call("GET", f"/api/projects/{project.slug}/{address}?search=cube", status=400)
        assert said["fields"]["search"] == ["There is no such parameter. Did you mean q?"]
    for address in ("labels.csv", "labels/facets"):
        said = browser.call("GET", f"/api/projects/{project.slug}/{address}?labelr=1", status=400)
        assert said["fields"]["labelr"] == ["There is no such parameter. Did you mean labeler?"]


def test_a_thousand_parameters_are_not_named_one_by_one(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    many = "&".join(f"unknown_{number}=1" for number in range(900)) + f"&{'x' * 500}=1"
    said = browser.call("GET", f"/api/projects/{project.slug}/rounds?{many}", status=400)
    assert len(said["fields"]) == 21
    assert "901" in said["fields"]["…"][0]


def test_nobody_learns_by_it_what_there_is(project: Project) -> None:
    browser = Browser(make_member(make_project()))
    browser.call("GET", f"/api/projects/{project.slug}/traces?zzzz=1", status=404)
