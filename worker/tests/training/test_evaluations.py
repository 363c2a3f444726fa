"""A PRM measured on a set that nothing learned from: what is measured, what is refused, what a person can do with
it.
"""

import itertools
import threading
from array import array
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection

from labeling.actions import jobs
from labeling.actions.evaluations import create_evaluation, create_evaluation_set, run_evaluation
from labeling.actions.round_stages import start_round
from labeling.configs import StagedConfig
from labeling.errors import NotComparable, NothingToEvaluateOn, PrmGivesNoProbabilities, PrmLearnedFromSet
from labeling.metrics.comparison import Scored, ahead, compare
from labeling.metrics.evaluation import evaluate, rated_steps
from labeling.metrics.steps import auc_gain
from labeling.models import (
    AuditEvent,
    Evaluation,
    EvaluationSet,
    HeldOutText,
    Label,
    Problem,
    Project,
    Round,
    StepScorer,
    Trace,
    TrainingRun,
)
from labeling.queries.evaluation_report import baseline_of, evaluated
from labeling.queries.evaluations import items_of
from labeling.queries.exports import packed_ids
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import import_bytes, lines, neutral_row
from labeling.tests.training.labels import RIGHT, WRONG
from worker.evaluation import score_traces
from worker.model_faults import model_faults
from worker.prm.errors import SpecError
from worker.tests.prm import tiny
from worker.tests.rounds.world import make_prm, run_task

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def prm(settings: Any) -> StepScorer:
    """A PRM with random weights, from elsewhere."""
    tiny.step_classifier(settings.MODELS_DIR / "random")
    return make_prm({"family": "step_classifier", "path": "random"})


def import_recorded(project: Project, folder: Path, problems: int = 10, samples: int = 5) -> None:
    """Held-out problems with traces that have a recorded first error, as in ProcessBench."""
    chance = Random(3)
    rows = []
    for number, sample in itertools.product(range(problems), range(samples)):
        error = chance.choice([-1, 0, 1, 2, 3])
        steps = [f"{chance.choice(WRONG if step == error else RIGHT)} ({sample})" for step in range(4)]
        known = {"first_error": error, "final_answer": str(72 + (error > 0)), "final_answer_correct": error <= 0}
        about = {"source": "processbench", "split": "held_out", "subject": ("Algebra", "Sums")[number % 2]}
        rows.append(neutral_row(f"How many clips does {number} have?", steps, **known, **about))
    assert import_bytes(project, lines(*rows), folder).status == "succeeded"


def test_of_several_who_ask_for_the_same_evaluation_at_once_all_have_the_one(
    project: Project, prm: StepScorer, tmp_path: Path
) -> None:
    import_recorded(project, tmp_path)
    made = create_evaluation_set(project, by=None, name="Set", source="recorded")
    together, found = threading.Barrier(6), []

    def ask() -> None:
        together.wait()
        found.append(create_evaluation(project, by=None, scorer=prm, evaluation_set=made, wake=False).pk)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Evaluation.objects.get().pk] * 6


def evaluate_prm(project: Project, prm: StepScorer, made: EvaluationSet, **options: Any) -> Evaluation:
    """Create an evaluation, and have a worker do it."""
    found = create_evaluation(project, by=None, scorer=prm, evaluation_set=made, wake=False, **options)
    run_task("worker.evaluate_prm", found.pk)
    found.refresh_from_db()
    assert found.status == "succeeded", found.error
    return found


def test_every_figure_stands_beside_the_baseline_and_is_that_of_the_metrics(
    project: Project, prm: StepScorer, tmp_path: Path
) -> None:
    import_recorded(project, tmp_path)
    browser = Browser(make_member(project, "researcher"))
    sets = browser.call("GET", f"/api/projects/{project.slug}/evaluation_sets")
    assert sets["recorded"][0] | {"erroneous": 0} == {"source": "processbench", "traces": 50, "erroneous": 0}
    asked = {"name": "ProcessBench", "source": "recorded", "recorded": "processbench"}
    made = browser.call("POST", f"/api/projects/{project.slug}/evaluation_sets", asked, status=201)
    assert (made["traces"], made["problems"]) == (50, 10)
    body = {"prm": prm.pk, "evaluation_set": made["id"], "best_of": 5}
    found = browser.call("POST", f"/api/projects/{project.slug}/evaluations", body, status=201)
    run_task("worker.evaluate_prm", found["id"])
    found = browser.call("GET", f"/api/evaluations/{found['id']}")
    assert (found["status"], found["traces_done"], found["labels_used"]) == ("succeeded", 50, None)
    report = found["report"]
    items = items_of(Evaluation.objects.get(pk=found["id"]))
    traces = [evaluated(item, item.steps or []) for item in items]
    expected, plain = evaluate(traces), evaluate(baseline_of(items, traces))
    figures = {figure["name"]: figure for figure in report["figures"]}
    assert set(figures) == set(expected.metrics)
    for name, figure in expected.metrics.items():
        assert (figures[name]["value"], figures[name]["low"], figures[name]["n"]) == (
            figure.value,
            figure.low,
            figure.n,
        )
        assert figures[name]["baseline"] == plain.metrics[name].value
    baseline = baseline_of(items, traces)
    gain = auc_gain(rated_steps(traces), rated_steps(baseline).scores)
    assert gain.low is not None
    assert report["gain"]["low"] == figures["auc"]["gain"]["low"] == gain.low
    assert report["beats_baseline"] is (gain.low > 0)
    gains = compare(Scored(traces, 0.5), Scored(baseline, 0.5))
    assert {name: one["gain"]["low"] for name, one in figures.items()} == {
        name: gains[name].low if name in gains else None for name in figures
    }
    said = {name: one["standing"] for name, one in figures.items()}
    words = {"left": "better", "right": "worse", "undecided": "undecided", None: None}
    assert said == {name: words[ahead(name, gains[name])] if name in gains else None for name in figures}
    assert len(set(said.values())) > 1, said
    assert {group["group"] for group in report["groups"]["subject"]} == {"Algebra", "Sums"}
    best = report["best_of_n"]
    assert (best["problems"], best["traces"], best["sizes"]) == (10, 50, [1, 2, 4, 5])
    curves = {name: [point["value"] for point in curve] for name, curve in best["curves"].items()}
    assert curves["oracle"][-1] >= curves["prm_product"][-1] >= 0
    assert curves["random"][0] == pytest.approx(curves["prm_min"][0]) == pytest.approx(curves["majority"][0])
    assert sum(one["n"] for one in report["length"]["bins"]) == 50
    assert sum(one["right"]["n"] for one in report["reliability"]) == figures["auc"]["n"]


def test_problems_of_a_set_stay_held_out_whatever_a_later_import_says(project: Project, tmp_path: Path) -> None:
    import_recorded(project, tmp_path)
    made = create_evaluation_set(project, by=None, name="Recorded", source="recorded")
    assert HeldOutText.objects.filter(project=project, name="Recorded").count() == made.problems == 10
    other = make_project()
    import_bytes(project, lines(neutral_row("How many clips does 3 have?", ["Another try."])), tmp_path)
    assert set(Problem.objects.filter(project=project).values_list("split", flat=True)) == {"held_out"}
    with pytest.raises(NothingToEvaluateOn):
        create_evaluation_set(other, by=None, name="Recorded", source="recorded")
    assert not EvaluationSet.objects.filter(project=other).exists()


def test_a_prm_is_trained_evaluated_promoted_used_and_rolled_back(
    project: Project, round_: Round, prm: StepScorer, tmp_path: Path
) -> None:
    """The loop over HTTP, as done by a researcher and the workers."""
    researcher = make_member(project, "researcher")
    browser = Browser(researcher)
    home = f"/api/projects/{project.slug}"
    asked = {"name": "Kept back", "source": "labels", "round_ids": [round_.pk]}
    browser.call("POST", f"{home}/evaluation_sets", {**asked, "source": "gold"}, status=400)
    made = browser.call("POST", f"{home}/evaluation_sets", asked, status=201)
    assert (made["problems"], made["traces"]) == (12, 24)
    run = browser.call("POST", f"{home}/training_runs", {"round_ids": [round_.pk], "base": "Tiny"}, status=201)
    run_task("worker.train_prm", run["id"])
    [mine] = browser.call("GET", f"{home}/evaluations")["results"]  # a trained PRM is evaluated on the newest set
    run_task("worker.evaluate_prm", mine["id"])
    trained = browser.call("GET", f"/api/training_runs/{run['id']}")["prm"]["id"]
    theirs = evaluate_prm(project, prm, EvaluationSet.objects.get(pk=made["id"]))
    mine = browser.call("GET", f"/api/evaluations/{mine['id']}")
    assert (mine["labels_used"], mine["beats_baseline"]) == (160, True)
    compared = browser.call("GET", f"{home}/evaluations/compare?left={mine['id']}&right={theirs.pk}")
    differences = {one["name"]: one for one in compared["differences"]}
    assert differences["auc"]["low"] > 0
    assert differences["auc"]["ahead"] == "left"
    assert 0 < mine["advised_threshold"] < 1
    assert theirs.report["said_wrong"] is not None
    distances = [one["distance"] for one in compared["disagreements"]]
    assert distances == sorted(distances, reverse=True)
    assert len(distances) == 12
    first = compared["disagreements"][0]
    assert distances[0] == pytest.approx(
        max(abs(one - two) for one, two in zip(first["left_scores"], first["right_scores"], strict=True))
    )

    browser.call("POST", f"{home}/promotions", {"prm": prm.pk}, status=201)
    before = start_round(project, by=None, scorer=prm, config=StagedConfig(k=2))
    browser.call("POST", f"{home}/promotions", {"prm": trained}, status=201)
    browser.call("POST", f"{home}/promotions", {"prm": trained}, status=201)  # pressed twice
    other = StepScorer.objects.create(name="other", spec=prm.spec, scale="probability", status="ready")
    news = browser.call("GET", f"{home}/promotions/news?prm={prm.pk}")["results"]
    [worse] = [one for one in news if one["kind"] == "worse"]
    assert (worse["evaluation"], worse["other"], worse["evaluation_set"]) == (theirs.pk, mine["id"], "Kept back")
    assert "auc" in worse["worse"]
    news = browser.call("GET", f"{home}/promotions/news?prm={other.pk}")["results"]
    assert [one["kind"] for one in news] == ["origin_unknown", "not_evaluated"]
    listed = browser.call("GET", f"{home}/prms")["results"]
    assert [one["id"] for one in listed if one["selector"]] == [trained]
    before.refresh_from_db()
    assert before.scorer_id == prm.pk
    browser.call("POST", f"{home}/promotions/roll_back", status=201)
    history = browser.call("GET", f"{home}/promotions")["results"]
    assert [(one["prm"] or {}).get("id") for one in history] == [prm.pk, trained, prm.pk]
    events = AuditEvent.objects.filter(project=project, actor=researcher, action__in=["prm.promote", "prm.roll_back"])
    assert [event.action for event in events.order_by("pk")] == ["prm.promote", "prm.promote", "prm.roll_back"]
    assert Browser(make_member(project)).send("POST", f"{home}/promotions", {"prm": prm.pk}).status_code == 403


def test_different_sets_and_grader_versions_are_not_compared_and_learned_ones_not_measured(
    project: Project, round_: Round, prm: StepScorer, tmp_path: Path
) -> None:
    browser = Browser(make_member(project, "researcher"))
    import_recorded(project, tmp_path, problems=2)
    recorded = create_evaluation_set(project, by=None, name="Recorded", source="recorded")
    labels = create_evaluation_set(project, by=None, name="Labels", source="labels", round_ids=[round_.pk])
    one, other = (evaluate_prm(project, prm, made, best_of=0) for made in (recorded, labels))

    def refusal(left: Evaluation, right: Evaluation) -> str:
        path = f"/api/projects/{project.slug}/evaluations/compare?left={left.pk}&right={right.pk}"
        answer = browser.call("GET", path, status=409)
        assert answer["code"] == NotComparable.code
        return str(answer["detail"])

    assert "Evaluate both on the same set" in refusal(one, other)
    Trace.objects.filter(problem__split="held_out").update(grader_version="rules-2")
    assert "use the same grader" in refusal(one, evaluate_prm(project, prm, recorded, best_of=0))

    learned = packed_ids(array("q", Label.objects.filter(task__round=round_).values_list("pk", flat=True)))
    TrainingRun.objects.create(project=project, base="Tiny", round_ids=[round_.pk], prm=prm, label_ids=learned)
    with pytest.raises(PrmLearnedFromSet, match="trained on 12 problems of this set"):
        create_evaluation(project, by=None, scorer=prm, evaluation_set=labels)
    StepScorer.objects.filter(pk=prm.pk).update(scale="log_ratio")
    prm.refresh_from_db()
    with pytest.raises(PrmGivesNoProbabilities):
        create_evaluation(project, by=None, scorer=prm, evaluation_set=recorded)


def test_an_evaluation_is_stopped_resumed_and_says_what_its_model_lacks(
    project: Project, prm: StepScorer, tmp_path: Path
) -> None:
    import_recorded(project, tmp_path, problems=3)
    made = create_evaluation_set(project, by=None, name="Recorded", source="recorded")
    researcher = make_member(project, "researcher")
    waiting = create_evaluation(project, by=researcher, scorer=prm, evaluation_set=made, wake=False)
    assert jobs.cancel_job(waiting, by=researcher).status == "cancelled"

    @model_faults()
    def broken(*_: Any) -> None:
        raise SpecError("score.weight is missing.")

    failing = create_evaluation(project, by=researcher, scorer=prm, evaluation_set=made, wake=False)
    assert run_evaluation(failing.pk, broken).error == "score.weight is missing."

    def cancelled_meanwhile(one: StepScorer, traces: Any, progress: Any) -> None:
        jobs.cancel_job(Evaluation.objects.latest("pk"), by=researcher)
        score_traces(one, traces, progress)
        while True:
            progress(0)

    stopped = create_evaluation(project, by=researcher, scorer=prm, evaluation_set=made, wake=False)
    assert run_evaluation(stopped.pk, cancelled_meanwhile).status == "cancelled"
    assert evaluate_prm(project, prm, made).report["traces"] == 15
