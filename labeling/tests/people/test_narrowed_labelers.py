"""People side by side in a round or a period; and the median time per step, its interval, and what it hides."""

import csv
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from labeling.actions import labels, rounds
from labeling.configs.rounds import TraceFilter
from labeling.models import Label, Project, Round, User
from labeling.statistics.intervals import median
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.gold.world import plan_gold, project_with_gold

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 5, 12, tzinfo=UTC)


def label_all(project: Project, person: User, *ratings: int | None, at: datetime = NOON) -> list[Label]:
    """Have the person label everything the same way, each label a minute after the previous one."""
    made: list[Label] = []
    while (claimed := labels.claim_next_label(person, project).label) is not None:
        made.append(labels.submit_label(claimed, make_submission([*ratings])))
        when = at + timedelta(minutes=len(made))
        Label.objects.filter(pk=claimed.pk).update(active_ms=20_000, submitted_at=when)
    return made


def timed(person: User, *seconds: float) -> None:
    """Set the active seconds per step of the person's labels, in their order."""
    found = Label.objects.filter(labeler=person).order_by("submitted_at", "pk")
    for label, one in zip(found, seconds, strict=True):
        Label.objects.filter(pk=label.pk).update(active_ms=round(1000 * one * (label.rated_steps or 0)))


def side_by_side(project: Project, query: str = "") -> dict[str, dict[str, Any]]:
    """Return each row as a researcher gets it, by name."""
    reader = Browser(make_member(project, "researcher"))
    found = reader.call("GET", f"/api/projects/{project.slug}/labelers{query}")
    return {row["display_name"]: row for row in found["results"]}


def day(number: int) -> str:
    return f"2026-11-{number:02}T00:00:00Z"


def test_the_list_and_its_table_are_narrowed_to_a_round_and_a_period() -> None:
    project = make_project()
    first = make_round(project, traces=3, overlap=2, name="First")
    ada, bo = (make_member(project, display_name=name) for name in ("Ada", "Bo"))
    label_all(project, ada, 1, -1, None)
    label_all(project, bo, 1, -1, None, at=NOON + timedelta(days=3))
    rounds.close_round(first, by=None)
    second = make_round(project, traces=2, source="filter", filter=TraceFilter(unlabeled_only=True))
    label_all(project, ada, 1, 1, 1, at=NOON + timedelta(days=3))
    for query, counted in {
        "": {"Ada": (5, 12), "Bo": (3, 6)},
        f"?round={first.pk}": {"Ada": (3, 6), "Bo": (3, 6)},
        f"?round={second.pk}": {"Ada": (2, 6)},
        f"?since={day(5)}&until={day(6)}": {"Ada": (3, 6)},
        f"?since={day(6)}": {"Ada": (2, 6), "Bo": (3, 6)},
        f"?round={first.pk}&since={day(6)}": {"Bo": (3, 6)},
        f"?until={day(5)}": {},
        f"?round={second.pk + 1}": {},
    }.items():
        found = {name: (row["labels"], row["steps"]) for name, row in side_by_side(project, query).items()}
        assert found == counted, query
        reader = Browser(make_member(project, "admin"))
        table = reader.get(f"/api/projects/{project.slug}/labelers.csv{query}").content.decode().splitlines()
        assert sorted(row["labeler"] for row in csv.DictReader(table)) == sorted(counted), query
    found = Browser(make_member(project, "admin")).call("GET", f"/api/projects/{project.slug}/labelers?until={day(5)}")
    assert [(one["number"], one["name"]) for one in found["rounds"]] == [(2, ""), (1, "First")]
    assert found["floor_ms"] == 2_000
    for query in ("round=first", "since=soon", "round=0"):
        Browser(make_member(project, "admin")).call("GET", f"/api/projects/{project.slug}/labelers?{query}", status=400)


def test_ones_own_label_makes_a_pair_of_a_period_whenever_the_other_came() -> None:
    project = make_project()
    make_round(project, traces=4, overlap=2)
    ada, bo = (make_member(project, display_name=name) for name in ("Ada", "Bo"))
    label_all(project, ada, 1, -1, None)
    label_all(project, bo, 1, -1, None, at=NOON + timedelta(days=3))
    of_the_day = side_by_side(project, f"?since={day(5)}&until={day(6)}")
    assert (of_the_day["Ada"]["peers"]["value"], of_the_day["Ada"]["peers"]["n"]) == (1, 4)


def test_gold_is_of_the_answers_in_the_round_and_the_period() -> None:
    project, opened = project_with_gold(2, traces=3)
    ada = make_member(project, display_name="Ada")
    plan_gold(opened, ada, [0, 2])
    label_all(project, ada, 1, 1, 1)
    answers = Label.objects.filter(labeler=ada, task__kind="gold").order_by("submitted_at")
    Label.objects.filter(pk=answers[0].pk).update(submitted_at=NOON - timedelta(days=2))
    later = make_round(project, traces=1, source="filter", filter=TraceFilter(unlabeled_only=True))
    label_all(project, ada, 1, 1, 1)
    counted = {"": 2, f"?since={day(4)}": 1, f"?round={opened.pk}": 2, f"?round={later.pk}": 0}
    assert {query: side_by_side(project, query)["Ada"]["gold"]["n"] for query in counted} == counted


def test_a_median_has_its_interval_and_the_newest_labels_are_told_where_they_are_faster() -> None:
    project = make_project()
    make_round(project, traces=26)
    ada = make_member(project, display_name="Ada")
    label_all(project, ada, 1, 1, 1)
    before = [28.0 + place for place in range(16)]
    timed(ada, *before, *(0.9 + place / 50 for place in range(10)))
    row = side_by_side(project)["Ada"]
    expected = median(np.array([*before, *(0.9 + place / 50 for place in range(10))]))
    pace = row["pace"]
    assert row["seconds_a_step"] == pace["median"]["value"] == pytest.approx(expected.value)
    assert (pace["median"]["low"], pace["median"]["high"]) == (
        pytest.approx(expected.low),
        pytest.approx(expected.high),
    )
    assert (pace["median"]["n"], pace["median"]["clusters"]) == (26, 26)
    assert (pace["newest"]["value"], pace["newest"]["n"]) == (pytest.approx(0.99), 10)
    assert (pace["newest"]["low"], pace["newest"]["high"]) == (pytest.approx(0.92), pytest.approx(1.06))
    assert pace["change"] == "faster"
    admin = Browser(make_member(project, "admin"))
    [line] = csv.DictReader(admin.get(f"/api/projects/{project.slug}/labelers.csv").content.decode().splitlines())
    assert float(line["seconds a step low"]) == pytest.approx(expected.low)
    assert (float(line["newest seconds a step"]), line["newest n"], line["newest change"]) == (
        pytest.approx(0.99),
        "10",
        "faster",
    )
    page = admin.call("GET", f"/api/projects/{project.slug}/labelers/{ada.pk}")["pace"]
    assert {name: page[name] for name in pace} == pace, "the labeler's own page says the same"
    timed(ada, *(0.9 + place / 50 for place in range(16)), *before[:10])
    assert side_by_side(project)["Ada"]["pace"]["change"] == "slower"


@pytest.mark.parametrize(
    ("seconds", "no_interval", "newest", "change"),
    [
        ([20.0, 22, 24, 26, 28], "few_clusters", None, None),
        ([20.0] * 15, "all_alike", None, None),
        ([20.0] * 16, "all_alike", 20, None),
        ([*([20.0] * 6), *([1.0] * 10)], None, 1, "faster"),
        ([20.0 + place % 5 for place in range(30)], None, 22, None),
    ],
)
def test_few_labels_or_labels_that_are_alike_claim_no_interval_and_no_change(
    seconds: list[float], no_interval: str | None, newest: float | None, change: str | None
) -> None:
    project = make_project()
    make_round(project, traces=len(seconds))
    ada = make_member(project, display_name="Ada")
    label_all(project, ada, 1, 1, 1)
    timed(ada, *seconds)
    pace = side_by_side(project)["Ada"]["pace"]
    assert pace["median"]["no_interval"] == no_interval
    assert (pace["newest"] and pace["newest"]["value"], pace["change"]) == (newest, change)


def test_the_database_gives_the_interval_that_the_values_themselves_have() -> None:
    project = make_project()
    make_round(project, traces=41, overlap=2)
    people = [make_member(project, display_name=name) for name in ("Ada", "Bo")]
    generator = np.random.default_rng(3)
    taken = {}
    for person in people:
        label_all(project, person, 1, 1, 1)
        taken[person.display_name] = generator.lognormal(3, 0.8, size=41).round(3)
        timed(person, *taken[person.display_name])
    for name, row in side_by_side(project).items():
        said, expected = row["pace"]["median"], median(taken[name])
        for part in ("value", "low", "high"):
            assert said[part] == pytest.approx(getattr(expected, part), abs=1e-3), (name, part)


def test_labels_that_came_without_a_time_are_in_no_median() -> None:
    project = make_project()
    make_round(project, traces=30, overlap=2)
    people = ada, bo = [make_member(project, display_name=name) for name in ("Ada", "Bo")]
    for person in people:
        label_all(project, person, 1, 1, 1)
    timed(ada, *([20.0] * 8 + [26.0] * 8), *([0.0] * 4), *([22.0] * 10))
    Label.objects.filter(labeler=bo).update(active_ms=0)
    rows = side_by_side(project)
    expected = median(np.array([20.0] * 8 + [26.0] * 8 + [22.0] * 10))
    told = rows["Ada"]["pace"]
    assert [told["median"][part] for part in ("value", "low", "high", "n")] == [
        pytest.approx(part) for part in (expected.value, expected.low, expected.high, 26)
    ]
    assert (told["newest"]["value"], told["newest"]["n"]) == (22, 10)
    assert (rows["Ada"]["too_fast"]["n"], rows["Bo"]["too_fast"]["value"]) == (30, 1), "no time hides no clicker"
    assert (rows["Bo"]["seconds_a_step"], rows["Bo"]["pace"]["median"]["n"]) == (None, 0)
    admin = Browser(make_member(project, "admin"))
    table = admin.get(f"/api/projects/{project.slug}/labelers.csv").content.decode().splitlines()
    line = {row["labeler"]: row for row in csv.DictReader(table)}["Bo"]
    assert (line["active hours"], line["seconds a step"], line["seconds a step n"]) == ("", "", "0")
    page = admin.call("GET", f"/api/projects/{project.slug}/labelers/{bo.pk}")
    assert (page["pace"]["seconds_a_step"], page["pace"]["others"]["labelers"]) == (None, 1)
    assert (page["pace"]["days"][0]["seconds_a_step"], page["rounds"][0]["seconds_a_step"]) == (None, None)
    others = admin.call("GET", f"/api/projects/{project.slug}/labelers/{ada.pk}")["pace"]["others"]
    assert others["labelers"] == 0, "of Bo nobody knows how long a step takes"
    own = Browser(bo).call("GET", f"/api/projects/{project.slug}/my_coaching")["rounds"]
    assert own[0]["seconds_a_step"] is None
    overview = admin.call("GET", f"/api/projects/{project.slug}/overview")["labelers"]
    assert {row["display_name"]: (row["labels"], row["timed_labels"]) for row in overview} == {
        "Ada": (30, 26),
        "Bo": (30, 0),
    }


def test_who_rated_no_step_has_no_median_and_rounds_of_imports_are_not_offered() -> None:
    project = make_project()
    round_ = make_round(project, traces=1)
    ada = make_member(project, display_name="Ada")
    claimed = labels.claim_next_label(ada, project).label
    assert claimed is not None
    given_up = make_submission([None] * 3, finish_reason="give_up", finish_detail={"text": "Lost."})
    labels.submit_label(claimed, given_up)
    row = side_by_side(project)["Ada"]
    assert (row["seconds_a_step"], row["pace"]["median"]["value"], row["pace"]["newest"]) == (None, None, None)
    Round.objects.filter(pk=round_.pk).update(imported=True)
    reader = Browser(make_member(project, "researcher"))
    found = reader.call("GET", f"/api/projects/{project.slug}/labelers")
    assert (found["results"], found["rounds"]) == ([], [])
