"""A project's Home: it names what is waiting, judges quality by rules, and bases forecasts on honest labels."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from labeling import queries
from labeling.actions import gold, labels
from labeling.models import Label, Membership, Project, Round, Task, User
from labeling.quality.scorecard import Rule, word_for
from labeling.statistics.intervals import Estimate, share
from labeling.tests import factories
from labeling.tests.accounts import Browser

pytestmark = pytest.mark.django_db


def label_all(project: Project, who: User, count: int, *, ms: int, at: datetime | None = None) -> None:
    for _ in range(count):
        label = labels.claim_next_label(who, project).label
        assert label is not None
        labels.submit_label(label, factories.make_submission([1, 1, 1], idempotency_key=uuid4()))
        Label.objects.filter(pk=label.pk).update(active_ms=ms, **({"submitted_at": at} if at else {}))


def home(project: Project, who: User, page: str = "home") -> dict[str, Any]:
    return Browser(who).call("GET", f"/api/projects/{project.slug}/{page}")


def test_a_forecast_says_hours_money_and_a_day_and_hasty_labels_are_in_none_of_them() -> None:
    project = factories.make_project(hourly_rate="60.00", currency="EUR")
    ada, researcher = factories.make_member(project), factories.make_member(project, "researcher")
    factories.make_round(project, 60)
    today = timezone.now().astimezone(UTC).replace(hour=9)
    for back in range(7, 0, -1):
        label_all(project, ada, 4 + back % 2, ms=100_000 + 10_000 * back, at=today - timedelta(days=back))
    label_all(project, ada, 10, ms=300, at=today - timedelta(days=3))
    made = Label.objects.filter(status="submitted")
    honest = made.filter(active_ms__gt=300)
    found = home(project, researcher, "forecast")
    left = 60 - made.count()
    assert (found["labels"], found["ahead"]) == (left, 0)
    mean_hours = sum(honest.values_list("active_ms", flat=True)) / honest.count() / 3_600_000
    assert found["hours"]["value"] == pytest.approx(left * mean_hours)
    assert found["hours"]["low"] < found["hours"]["value"] < found["hours"]["high"]
    assert found["cost"]["value"] == pytest.approx(60 * found["hours"]["value"])
    assert found["days"]["value"] == pytest.approx(left / (honest.count() / 7))
    expected = date.today() + timedelta(days=-(-found["days"]["value"] // 1) - 1)
    assert found["done"]["value"] == expected.isoformat()
    assert found["done"]["low"] <= found["done"]["value"] <= found["done"]["high"]
    assert [day["hasty"] for day in found["by_day"]] == [0, 0, 0, 0, 10, 0, 0, 0]
    assert [day["labels"] for day in found["by_day"]][-1] == 0, "today, in no rate"

    more = home(project, researcher, "forecast?labels=30")
    assert (more["labels"], more["ahead"]) == (30, left)
    assert more["days"]["value"] == pytest.approx(found["days"]["value"] * (left + 30) / left)
    assert more["hours"]["value"] == pytest.approx(30 * mean_hours)
    assert home(project, researcher, "forecast?labels=0")["hours"]["value"] == 0
    Browser(researcher).call("GET", f"/api/projects/{project.slug}/forecast?labels=-1", status=400)


def test_where_few_days_or_no_rate_are_known_the_forecast_says_that_and_makes_nothing_up() -> None:
    project = factories.make_project()
    researcher = factories.make_member(project, "researcher")
    empty = home(project, researcher, "forecast?labels=81")
    assert (empty["hours"]["value"], empty["days"]["value"], empty["cost"], empty["by_day"]) == (None, None, None, [])
    factories.make_round(project, 9)
    label_all(project, factories.make_member(project), 3, ms=60_000, at=timezone.now() - timedelta(days=1))
    found = home(project, researcher, "forecast")
    assert (found["hours"]["value"], found["hours"]["no_interval"]) == (pytest.approx(0.1), "few_clusters")
    assert (found["days"]["value"], found["days"]["low"], found["days"]["clusters"]) == (2, None, 1)
    assert found["done"]["low"] is None


def test_a_forecast_promises_hidden_gold_only_where_there_is_some() -> None:
    project = factories.make_project(gold_per_round=2)
    page = Browser(factories.make_member(project, "researcher"))
    traces = factories.make_traces(project, 3)
    said = []
    for trace in traces:
        said.append(page.call("GET", f"/api/projects/{project.slug}/forecast?labels=5")["gold_on_top"])
        gold.make_gold(trace, acceptable=[-1], by=None)
    said.append(page.call("GET", f"/api/projects/{project.slug}/forecast?labels=5")["gold_on_top"])
    assert said == [0, 1, 2, 2]


def test_home_names_what_waits_and_judges_labels_by_rules() -> None:
    project = factories.make_project()
    ada, bo = (factories.make_member(project, display_name=name) for name in ("Ada", "Bo"))
    researcher = factories.make_member(project, "researcher")
    labeled = factories.make_round(project, 12, overlap=2)
    assert home(project, researcher, "badges")["waits"] == []
    empty = home(project, researcher)
    assert empty["learning"] is None
    assert {one["word"] for one in empty["quality"]} == {"not_yet"}
    label_all(project, ada, 12, ms=60_000)
    label_all(project, bo, 12, ms=300)
    Membership.objects.filter(user=ada).update(paused_at=timezone.now())
    failed = factories.make_round(project, 1)
    Round.objects.filter(pk=failed.pk).update(status="failed", error="The server is away.")
    waits = home(project, researcher, "badges")["waits"]
    assert [(one["kind"], one["name"]) for one in waits] == [
        ("failed_round", failed.name),
        ("hasty_labeler", "Bo"),
        ("paused_labeler", "Ada"),
        ("labeled_round", labeled.name),
    ]
    quality = {one["name"]: one for one in home(project, researcher)["quality"]}
    assert (quality["hasty"]["share"]["value"], quality["hasty"]["word"]) == (0.5, "bad")
    assert (quality["agreement"]["share"]["value"], quality["agreement"]["word"]) == (1.0, "good")
    assert (quality["gold"]["word"], quality["audit"]["word"]) == ("not_yet", "not_yet")
    assert queries.forecasts.labels_waiting(project) == 0
    Round.objects.filter(pk=labeled.pk).update(imported=True)
    quality = {one["name"]: one for one in home(project, researcher)["quality"]}
    assert quality["agreement"]["word"] == "not_yet", "labels that came with a file are nobody's here"


def test_the_list_of_projects_counts_labels_as_home_does() -> None:
    project = factories.make_project()
    ada, researcher = factories.make_member(project), factories.make_member(project, "researcher")
    came = factories.make_round(project, 2)
    label_all(project, ada, 2, ms=60_000)
    Round.objects.filter(pk=came.pk).update(imported=True)
    factories.make_round(project, 5)
    label_all(project, ada, 5, ms=60_000)
    gold, surplus, *_ = Label.objects.filter(task__round__imported=False)
    Task.objects.filter(pk=gold.task_id).update(kind="gold")
    Label.objects.filter(pk=surplus.pk).update(surplus=True)

    def listed(who: User) -> int:
        [row] = Browser(who).call("GET", "/api/projects")["results"]
        assert row["counts"] == Browser(who).call("GET", f"/api/projects/{project.slug}")["counts"]
        count: int = row["counts"]["labels_submitted"]
        return count

    assert home(project, researcher, "overview")["progress"]["submitted"] == listed(researcher) == 3
    assert listed(ada) == 5, "gold is not told from work"


def test_labels_that_were_left_out_wait_for_nobody_and_judge_nothing() -> None:
    project = factories.make_project()
    ada, bo = (factories.make_member(project, display_name=name) for name in ("Ada", "Bo"))
    researcher = factories.make_member(project, "researcher")
    round_ = factories.make_round(project, 12, overlap=2)
    label_all(project, bo, 12, ms=300)
    label_all(project, ada, 2, ms=60_000)
    asked = {"kind": "exclude", "filters": {"labeler": bo.pk}, "because": "A second a step."}
    Browser(researcher).call("POST", f"/api/projects/{project.slug}/label_changes", asked, status=201)

    assert "hasty_labeler" not in {one["kind"] for one in home(project, researcher, "badges")["waits"]}
    quality = {one["name"]: one["share"] for one in home(project, researcher)["quality"]}
    assert (quality["hasty"]["value"], quality["hasty"]["n"]) == (0.0, 2)
    assert quality["agreement"]["value"] is None, "no pair is left"
    report = queries.round_report.round_report(round_)
    assert [sum(ended.values()) for ended in report["finished"].values()] == [2], "traces that a label stands for"


@pytest.mark.parametrize(
    ("right", "of", "word"), [(95, 100, "good"), (50, 100, "bad"), (82, 100, "cannot_tell"), (0, 0, "not_yet")]
)
def test_a_word_follows_from_the_whole_interval(right: int, of: int, word: str) -> None:
    assert word_for(share(right, of), Rule(0.8)) == word
    other = {"good": "bad", "bad": "good"}.get(word, word)
    assert word_for(share(right, of), Rule(0.8, most=True)) == other
    assert word_for(Estimate(1.0, None, None, 4, 2, "few_clusters"), Rule(0.8)) == "not_yet"
