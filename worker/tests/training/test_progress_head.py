"""`target: progress`: next to a PRM's own head, a second one learns how steps changed a completer's chances (PAV)."""

import json
from pathlib import Path
from random import Random

import pytest

from labeling.models import Project, Round, Score, StepScorer, Trace
from labeling.sources.marks import Hits
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.sources.world import count_rollouts
from labeling.tests.training.labels import RIGHT, WRONG, problem_texts
from worker.scoring_chunks import score_project
from worker.tests.rounds.world import run_task

pytestmark = pytest.mark.django_db(transaction=True)
LOST = 0.375  # of the chance of success, by each wrong step: 3 of 8 rollouts


@pytest.fixture
def rollouts(project: Project, round_: Round, tmp_path: Path) -> StepScorer:
    """A source with rollouts from every prefix of traces of forty problems, half of whose steps are wrong."""
    source = StepScorer.objects.create(
        project=project, name="Rollouts", kind="rollouts", fingerprint="r", scale="probability", status="ready", spec={}
    )
    chance, texts = Random(4), [text for _, text in zip(range(140), problem_texts(False), strict=False)][100:]
    rows = []
    for number, text in enumerate(texts):
        words = [chance.choice(WRONG if chance.random() < 0.5 else RIGHT) for _ in range(2)]
        rows.append({"problem": text, "steps": [f"{one} [{number}]" for one in words]})
    assert import_bytes(project, lines(*rows), tmp_path).status == "succeeded"
    for trace in Trace.objects.filter(project=project, problem__text__in=texts):
        first, second = (3 * (step.partition(" [")[0] in WRONG) for step in trace.steps)
        count_rollouts(source, trace, [Hits(8, 8), Hits(8 - first, 8), Hits(8 - first - second, 8)])
    return source


def test_a_second_head_learns_what_steps_changed_and_says_it_beside_the_scores(
    project: Project, round_: Round, rollouts: StepScorer
) -> None:
    browser = Browser(make_member(project, "researcher"))
    place, body = f"/api/projects/{project.slug}/training_runs", {"round_ids": [round_.pk], "base": "Tiny"}
    asked = {**body, "target": "progress", "sources": [{"id": rollouts.pk, "weight": 1}]}
    run = browser.call("POST", place, asked, status=201)
    plain = browser.call("POST", place, body, status=201)
    found = []
    for one in (run, plain):
        run_task("worker.train_prm", one["id"])
        found.append(browser.call("GET", f"/api/training_runs/{one['id']}"))
    assert [one["status"] for one in found] == ["succeeded", "succeeded"], found[0]["error"]
    assert found[0]["figures"] == found[1]["figures"], "the first head is the PRM that it would be without the second"
    assert found[0]["data"]["machines"]["Rollouts"]["rows"] == 40
    told = found[0]["report"]["meta"]["progress"]
    assert (told["steps"], told["problems"]) == (80, 40)
    assert told["low"] < told["correlation"] < told["high"]
    assert told["correlation"] > 0.5 > abs(told["correlation_position_and_length_only"])
    assert any("over 80 steps of 40 problems" in line for line in found[0]["log"])
    prm = StepScorer.objects.get(pk=found[0]["prm"]["id"])
    assert score_project(project, prm, 0)[0] == ""
    gained: dict[bool, list[float]] = {True: [], False: []}
    for score in Score.objects.filter(scorer=prm, trace__scores__scorer=rollouts).select_related("trace"):
        assert score.evidence is not None
        for step, one in zip(score.trace.steps, score.evidence["progress"], strict=True):
            gained[step.partition(" [")[0] in WRONG].append(one["difference"])
    average = {wrong: sum(some) / len(some) for wrong, some in gained.items()}
    assert average[True] == pytest.approx(-LOST, abs=0.2)
    assert average[False] == pytest.approx(0, abs=0.2)
    trace = Trace.objects.filter(scores__scorer=rollouts).first()
    marks = browser.call("GET", f"/api/traces/{trace.pk}/machine_marks")["results"]
    by_prm = next(one for one in marks if one["source"]["id"] == prm.pk)
    assert len(by_prm["progress"]) == len(by_prm["steps"]) == 2


def test_progress_needs_one_source_of_rollouts_and_the_head(
    project: Project, round_: Round, rollouts: StepScorer
) -> None:
    browser = Browser(make_member(project, "researcher"))
    place, body = f"/api/projects/{project.slug}/training_runs", {"round_ids": [round_.pk], "base": "Tiny"}
    judge = StepScorer.objects.create(project=project, name="J", kind="judge", spec={}, fingerprint="j")
    taught = [{"id": rollouts.pk, "weight": 1}]
    for asked, words in (
        ({"sources": []}, "Choose one source of rollouts"),
        ({"sources": [{"id": judge.pk, "weight": 1}]}, "Choose one source of rollouts"),
        ({"sources": taught, "method": "full"}, "only be fitted on a frozen base"),
    ):
        answer = browser.call("POST", place, {**body, "target": "progress", **asked}, status=400)
        assert words in json.dumps(answer), answer
    Score.objects.filter(scorer=rollouts, trace__problem__in=Trace.objects.values("problem")[3:]).delete()
    few = browser.call("POST", place, {**body, "target": "progress", "sources": taught}, status=201)
    run_task("worker.train_prm", few["id"])
    failed = browser.call("GET", f"/api/training_runs/{few['id']}")
    assert failed["status"] == "failed"
    assert "are needed" in failed["error"]
