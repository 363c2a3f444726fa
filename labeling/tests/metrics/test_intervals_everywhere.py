"""No page, and no table to download, claims to know more than the data behind it: every interval of every answer."""

import csv
import io
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from django.core.cache import cache

from labeling.actions import evaluations, label_audits, labels
from labeling.api.urls import urlpatterns
from labeling.configs import LabelAuditConfig
from labeling.models import Problem, Project, Round, Score, StepScorer, Trace
from labeling.protocol.verdicts import NO_ERROR
from labeling.queries.evaluation_report import evaluation_report
from labeling.statistics.intervals import FEWEST_CLUSTERS, Z
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_traces
from labeling.tests.selection.pools import make_prm

pytestmark = pytest.mark.django_db
LABELS = (50, 5, 2, 1, 0)
SAID: tuple[list[int | None], ...] = ([1, 1, 1], [1, -1, None], [1, 0, -1])
SHARES = {"accuracy", "first_error_accuracy", "accuracy_on_erroneous", "accuracy_on_error_free", "lowest_last_share"}
SHARES |= {"lucky_caught_share", "exact", "within_one", "has_error", "right", "oracle", "majority", "random"}


def labeled_project(number: int) -> tuple[Project, Browser, list[str]]:
    """A project of so many labels, two a trace, and of as many traces to measure PRMs on; the pages of its rows."""
    chance = Random(number)
    project = make_project(slug=f"labels-{number}", hourly_rate=30, currency="EUR")
    admin = make_member(project, "admin")
    people = [make_member(project) for _ in range(2)]
    round_ = make_round(project, traces=max(1, (number + 1) // 2), overlap=2)
    for person in [people[place % 2] for place in range(number)]:
        label = labels.claim_next_label(person, project).label
        assert label is not None
        span = {"start": 0, "end": chance.randint(9_000, 90_000), "step": 0}
        labels.submit_label(label, make_submission(chance.choice(SAID), spans=[span]))
    about = f"rounds/{round_.pk}"
    paths = [about, f"{about}/report", f"{about}/report.csv"]
    problem = Problem.objects.filter(project=project).earliest("pk")
    paths += [f"projects/{project.slug}/labelers/{people[0].pk}", f"problems/{problem.pk}/tree"]
    later = make_round(project, traces=1)
    paths += [f"projects/{project.slug}/round_comparison?one={round_.pk}&other={later.pk}"]
    return project, Browser(admin), [*paths, *measured(project, number, chance), *audited(project, round_, number)]


def measured(project: Project, number: int, chance: Random) -> list[str]:
    """Two PRMs on held-out traces, one that knows and one that guesses but never says wrong; their pages."""
    if not number:
        return []
    made = make_traces(project, number, outcome="correct", grader_version="test")
    for trace in made:
        trace.recorded_first_error = chance.choice([NO_ERROR, 1, 2])
        Problem.objects.filter(pk=trace.problem_id).update(split="held_out", subject=chance.choice(["Sums", "Algebra"]))
    Trace.objects.bulk_update(made, ["recorded_first_error"])
    chosen = evaluations.create_evaluation_set(project, by=None, name="Recorded", source="recorded")
    found = []
    for kind in ("knows", "never says wrong"):
        prm = make_prm(f"{kind} {number}", project=project)
        give_steps(prm, made, kind, chance)
        one = evaluations.create_evaluation(project, by=None, scorer=prm, evaluation_set=chosen, wake=False)
        # As a worker leaves it; a worker's lease needs a transaction of its own.
        one.report, one.set_hash, one.grader_versions = evaluation_report(one), chosen.set_hash, ["test"]
        one.status = "succeeded"
        one.save()
        found.append(one.pk)
    compared = f"projects/{project.slug}/evaluations/compare?left={found[0]}&right={found[1]}"
    return [*(f"evaluations/{pk}" for pk in found), compared]


def give_steps(prm: StepScorer, traces: list[Trace], kind: str, chance: Random) -> None:
    """Scores of three steps each, as the kind of PRM has them."""
    scores = []
    for trace in traces:
        wrong = trace.recorded_first_error
        steps = {
            "knows": [0.1 if step == wrong else 0.9 for step in range(3)],
            "never says wrong": [0.6 + chance.random() / 3 for _ in range(3)],
        }[kind]
        about = {"project_id": trace.project_id, "problem_id": trace.problem_id, "outcome": trace.outcome}
        scores.append(Score(scorer=prm, trace=trace, steps=steps, score=-1.0, draw=trace.pk, **about))
    Score.objects.bulk_create(scores)


def audited(project: Project, round_: Round, number: int) -> list[str]:
    """A finished label audit of a few labels, none of which its reviewer confirms."""
    if number < 5:
        return []
    prm, reviewer = make_prm(f"audits {number}", project=project), make_member(project, "admin")
    give_steps(prm, list(Trace.objects.filter(tasks__round=round_)), "never says wrong", Random(1))
    config = LabelAuditConfig(4, 0.5)
    found = label_audits.create_label_audit(project, by=reviewer, scorer=prm, config=config, seed=1)
    while (item := label_audits.hold_next_item(found, by=reviewer)) is not None:
        label_audits.review_item(item, by=reviewer, ratings=[-1, None, None], finish_reason="found_error", note="")
    label_audits.finish_label_audit(found, by=reviewer)
    return [f"label_audits/{found.pk}", f"label_audits/{found.pk}/report.csv"]


def intervals_in(answer: Any, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every figure with an interval that an answer holds, by what it is called."""
    if isinstance(answer, dict):
        name = str(answer["name"]) if isinstance(answer.get("name"), str) and "low" in answer else name
        if {"low", "high"} <= answer.keys():
            yield name, answer
        for key, inner in answer.items():
            yield from intervals_in(inner, key)
    if isinstance(answer, list):
        for inner in answer:
            yield from intervals_in(inner, name)


def rows_of(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same of a table with columns `low` and `high`, also in several groups (`gold low`, `gold high`, …)."""
    for row in csv.DictReader(io.StringIO(text)):
        for column in row:
            if column == "low" or column.endswith(" low"):
                low, high = (row[column], row[column.removesuffix("low") + "high"])
                ends = [float(end) if end not in ("", "n/a") else None for end in (low, high)]
                yield row.get("figure") or column, {"low": ends[0], "high": ends[1]}


def faulty(name: str, found: dict[str, Any]) -> bool:
    """Whether an interval is none that the data allow: of width zero, of too few problems or traces, beside its figure,
    or narrower than that of as many independent trials."""
    low, high, value = found["low"], found["high"], found.get("value", found.get("share"))
    if low is None or high is None:
        unexplained = value is not None and "clusters" in found and found["no_interval"] is None
        return unexplained or low is not high
    few = found.get("clusters") is not None and found["clusters"] < FEWEST_CLUSTERS
    share = name in SHARES and "ahead" not in found and value is not None
    narrow = share and high - low < 0.999 * Z**2 / (found["n"] + Z**2)
    return few or narrow or high - low < 1e-6 or not (value is None or low <= value <= high)


def test_no_interval_on_any_page_or_in_any_table_is_narrower_than_the_data_allow() -> None:
    cache.clear()
    routes = [str(path.pattern) for path in urlpatterns]
    pages = [path for path in routes if path.count("<") == 1 and "<slug:slug>/" in path]
    wrong: list[str] = []
    shown: dict[int, set[str]] = {}
    for number in LABELS:
        project, browser, rows = labeled_project(number)
        shown[number], with_figures = set(), []
        for page in pages:
            path = page.replace("<slug:slug>", project.slug)
            found = figures_at(browser, path, or_not=number == LABELS[0])
            with_figures += [page] if found else []
            wrong += judged(number, path, found, shown[number])
        for path in rows:
            wrong += judged(number, path, figures_at(browser, path), shown[number])
        pages = with_figures if number == LABELS[0] else pages  # what has none with many labels has none with few
    assert not wrong, wrong
    assert shown[0] == set()
    assert len(shown[2]) < len(shown[5]) < len(shown[50])
    of_project = {
        "agreement alpha",
        "agreement.csv exact",
        "time per_trace",
        "labelers peers",
        "labelers.csv peers low",
    }
    of_project |= {"evaluations auc", "evaluations/compare accuracy_on_erroneous"}
    assert {f"projects/labels-50/{one}" for one in of_project} <= shown[50]


def figures_at(browser: Browser, path: str, *, or_not: bool = False) -> list[tuple[str, dict[str, Any]]]:
    """The figures with intervals at an address; none where, `or_not`, it is only written to or needs more said."""
    response = browser.send("GET", f"/api/{path}")
    if or_not and response.status_code in (400, 405):
        return []
    assert response.status_code == 200, (path, response.content[:300])
    if response["Content-Type"].startswith("text/csv"):
        return list(rows_of(response.getvalue().decode()))
    return list(intervals_in(response.json()))


def judged(number: int, path: str, figures: list[tuple[str, dict[str, Any]]], shown: set[str]) -> list[str]:
    """Those that are wrong, as sentences; the names of those that have an interval are added to `shown`."""
    shown |= {f"{path.split('?')[0]} {name}" for name, found in figures if found["low"] is not None}
    return [f"{number} labels: {path} {name}: {found}" for name, found in figures if faulty(name, found)]
