"""The page's responses: for an empty project, and for one with labels and scores."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from labeling.models import Label, Project, Score, StepScorer, Task, User
from labeling.queries import large_projects
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_traces, open_round

pytestmark = pytest.mark.django_db


def figures(answer: dict, section: str) -> dict[str, dict]:
    """A section's figures by name and what they are of."""
    [found] = [one for one in answer["sections"] if one["name"] == section]
    return {f"{one['name']} {one['of']}".strip(): one for one in found["figures"]}


def test_an_empty_project_says_of_every_figure_why_it_is_not_there_and_what_it_needs() -> None:
    project = make_project()
    found = Browser(make_member(project, "researcher")).get(f"/api/projects/{project.slug}/failures").json()
    assert found["selector"] is None
    every = [one for section in found["sections"] for one in section["figures"]]
    assert {one["value"] for one in every} == {None}
    assert all(one["why"] and one["needs"] for one in every)


def labeled_and_scored(count: int) -> tuple[Project, StepScorer]:
    """Create this many wrong answers, scored by a PRM; a labeler found an error in every other one."""
    cache.clear()
    project = make_project()
    labeler = make_member(project)
    traces = make_traces(project, count, outcome="wrong")
    open_round(project)
    for number, task in enumerate(Task.objects.filter(round__project=project).order_by("pk")):
        verdict, reason = (1, "found_error") if number % 2 else (-1, "solution")
        Label.objects.create(
            project=project, task=task, labeler=labeler, status="submitted", submitted_at=timezone.now(),
            finish_reason=reason, verdict=verdict,
        )  # fmt: skip
    prm = StepScorer.objects.create(project=project, name="P", spec={}, status="ready", scale="probability")
    Score.objects.bulk_create(
        Score(scorer=prm, trace=one, project=project, problem=one.problem, outcome="wrong", draw=one.pk,
              steps=[0.9, 0.8, 0.1], score=-2.6)
        for one in traces
    )  # fmt: skip
    return project, prm


@pytest.mark.parametrize(("count", "measured"), [(1, False), (4, False), (5, True), (40, True)])
def test_a_figure_of_few_labels_has_an_interval_of_some_width_or_says_what_it_needs(count: int, measured: bool) -> None:
    project, prm = labeled_and_scored(count)
    reader = Browser(make_member(project, "researcher"))
    found = reader.get(f"/api/projects/{project.slug}/failures?scorer={prm.pk}").json()
    every = [one for section in found["sections"] for one in section["figures"]]
    known = [one for one in every if one["value"] is not None]
    assert bool(known) is measured
    assert all(one["low"] < one["high"] for one in known), known
    assert all(one["why"] and one["needs"] for one in every if one["value"] is None)
    widths = [one["high"] - one["low"] for one in known if one["name"] == "wrong_without_error"]
    assert all((width > 0.5) is (count == 5) for width in widths), "few labels say little"


def test_labels_and_scores_become_figures_with_the_traces_behind_them() -> None:
    project, prm = labeled_and_scored(8)
    reader = make_member(project, "researcher")
    found = Browser(reader).get(f"/api/projects/{project.slug}/failures?scorer={prm.pk}").json()
    hidden = figures(found, "hidden_reasoning")["wrong_without_error"]
    assert (hidden["value"], hidden["n"]) == (0.5, 8)
    assert hidden["low"] < 0.5 < hidden["high"]
    right = set(Label.objects.filter(verdict=-1).values_list("task__trace", flat=True))
    assert right > set(), hidden
    assert set(hidden["traces"]) <= right
    assert figures(found, "collapse")["lowest_last"]["value"] == 1
    assert figures(found, "transfer")["auc_apart subject"]["why"] == "it is unknown what this model learned from"
    table = Browser(reader).get(f"/api/projects/{project.slug}/failures.csv?scorer={prm.pk}").content.decode()
    assert "hidden_reasoning,wrong_without_error,,0.5," in table


def test_what_is_kept_of_a_large_project_is_closed_to_whom_it_shows_a_trace_in_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project, _ = labeled_and_scored(8)
    monkeypatch.setattr(large_projects, "LABELS", 1)
    one, other = make_member(project, "researcher"), make_member(project, "researcher")
    address = f"/api/projects/{project.slug}/failures"

    def behind(reader: User) -> tuple[list[int], str]:
        found = Browser(reader).get(address).json()
        return figures(found, "hidden_reasoning")["wrong_without_error"]["traces"], found["as_of"]

    shown, made = behind(one)
    until = timezone.now() + timedelta(minutes=5)
    held = Task.objects.get(trace=shown[0])
    Label.objects.create(project=project, task=held, labeler=other, status="open", leased_until=until)
    assert behind(other) == (shown[1:], made)
    assert behind(one) == (shown, made)
