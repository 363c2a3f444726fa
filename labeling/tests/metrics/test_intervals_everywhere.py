"""No page, and no downloadable table, claims more than its data support: every interval in every response."""

import re
from random import Random
from typing import Any

import pytest
from django.core.cache import cache

from labeling.actions import evaluations, label_audits, labels, step_scorer_promotions
from labeling.api.urls import urlpatterns
from labeling.configs import LabelAuditConfig
from labeling.models import Evaluation, Problem, Project, Round, Score, StepScorer, Trace, User
from labeling.protocol.verdicts import NO_ERROR
from labeling.queries.evaluation_report import evaluation_report
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_traces
from labeling.tests.metrics.more_figures import more_projects
from labeling.tests.metrics.shown_intervals import Walk, may_show_intervals
from labeling.tests.selection.pools import make_prm

pytestmark = [
    pytest.mark.django_db(transaction=True),  # a release is made under a lease
    pytest.mark.slow,
    pytest.mark.timeout(900),  # hundreds of pages, for projects of five sizes
]
LABELS = (50, 5, 2, 1, 0)
SHOWN_OF_A_PROJECT = {
    "agreement alpha",
    "agreement.csv exact",
    "time per_trace",
    "labelers peers",
    "labelers median",
    "labelers newest",
    "labelers.csv peers low",
    "labelers.csv seconds a step low",
    "labelers.csv newest low",
    "evaluations auc",
    "evaluations/compare accuracy_on_erroneous",
    "evaluations/compare average_precision",
}
SHOWN_OF_ROWS = {
    "rounds/N/machine",
    "rounds/N/paths",
    "releases/N/card",
    "projects/machine-N/sources/N/calibration",
    "projects/gold-N/labelers",
    "projects/gold-N/labelers.csv",
}
ELSEWHERE = {"/api/training_runs/{run_id}"}  # worker/tests/training/test_intervals_of_trainings.py
SAID: tuple[list[int | None], ...] = ([1, 1, 1], [1, -1, None], [1, 0, -1])


def labeled_project(number: int) -> tuple[Project, Browser, list[str]]:
    """A project with this many labels, two per trace, and as many traces to measure PRMs on; the pages of its rows."""
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
    paths = [about, f"{about}/figures", f"{about}/report", f"{about}/report.csv"]
    problem = Problem.objects.filter(project=project).earliest("pk")
    paths += [f"projects/{project.slug}/labelers/{people[0].pk}", f"problems/{problem.pk}/tree"]
    paths += [f"projects/{project.slug}/labelers{ending}?round={round_.pk}" for ending in ("", ".csv")]
    later = make_round(project, traces=1)
    paths += [f"projects/{project.slug}/round_comparison?one={round_.pk}&other={later.pk}"]
    found = [*paths, *measured(project, admin, number, chance), *audited(project, round_, number)]
    return project, Browser(admin), found


def measured(project: Project, admin: User, number: int, chance: Random) -> list[str]:
    """Two PRMs on held-out traces, one that knows and one that guesses but never calls a step wrong; their pages."""
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
        # As left by a worker; a worker's lease needs its own transaction.
        one.report, one.set_hash, one.grader_versions = evaluation_report(one), chosen.set_hash, ["test"]
        one.status = "succeeded"
        one.save()
        found.append(one.pk)
    scorers = [one.scorer for one in Evaluation.objects.filter(pk__in=found).select_related("scorer").order_by("-pk")]
    for scorer in scorers:  # in the end, the one that knows is the selector
        step_scorer_promotions.promote_prm(project, scorer, by=admin)
    compared = f"projects/{project.slug}/evaluations/compare?left={found[0]}&right={found[1]}"
    news = f"projects/{project.slug}/promotions/news?prm={scorers[0].pk}"
    return [*(f"evaluations/{pk}" for pk in found), compared, news]


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
    """A finished label audit of a few labels, none of which its reviewer confirmed."""
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


def test_no_interval_on_any_page_or_in_any_table_is_narrower_than_the_data_allow(settings: Any) -> None:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    cache.clear()
    routes = [str(path.pattern) for path in urlpatterns]
    pages = [path for path in routes if path.count("<") == 1 and "<slug:slug>/" in path]
    walk = Walk()
    for number in LABELS:
        project, browser, rows = labeled_project(number)
        of_project = {page: page.replace("<slug:slug>", project.slug) for page in pages}
        every = number == LABELS[0]
        with_figures = [page for page in pages if walk.look_at(number, browser, of_project[page], or_not=every)]
        pages = with_figures if every else pages  # figures without an interval for many labels have none for few
        for path in rows:
            walk.look_at(number, browser, path)
        for reader, addresses in more_projects(number, Random(number)):
            for path in addresses:
                walk.look_at(number, reader, path)
    shown = walk.shown
    assert not walk.wrong, walk.wrong
    assert shown[0] == set()
    assert len(shown[2]) < len(shown[5]) < len(shown[50])
    assert {f"projects/labels-50/{one}" for one in SHOWN_OF_A_PROJECT} <= shown[50]
    assert {re.sub(r"\d+", "N", name.split()[0]) for name in shown[50]} >= SHOWN_OF_ROWS
    assert "evaluations/N average_precision" in {re.sub(r"\d+", "N", name) for name in shown[50]}
    assert may_show_intervals() - walk.read == ELSEWHERE
