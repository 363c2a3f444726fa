"""Machines that teach a PRM along with people: weighted, reported separately, and never used to measure anything."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch

from labeling.models import Project, Round, StepScorer, Trace, TrainingRun
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.training.labels import RIGHT, WRONG, problem_texts
from worker.prm import examples, metrics, stacked
from worker.prm.errors import SpecError
from worker.prm.options import TrainOptions
from worker.prm.train import train
from worker.tests.rounds.world import run_task

pytestmark = pytest.mark.django_db(transaction=True)
MACHINE = "rollouts of ours"


def marked_rows(texts: list[str], chance: Random) -> list[dict[str, Any]]:
    """Traces with a machine's hard marks, as written by Math-Shepherd."""
    rows = []
    for number, text in enumerate(texts):
        marks = [1, chance.choice([1, -1])]
        steps = [f"{chance.choice(RIGHT if mark == 1 else WRONG)} [{number}]" for mark in marks]
        rows.append({"prompt": text, "completions": steps, "labels": [mark == 1 for mark in marks]})
    return rows


@pytest.fixture
def source(project: Project, round_: Round, tmp_path: Path) -> StepScorer:
    """A machine that marked traces of twenty problems without labels, a trace of a problem that is only measured on,
    and a trace that people labeled.
    """
    theirs = Trace.objects.filter(tasks__labels__status="submitted").order_by("pk").first()
    assert theirs is not None
    again = {"prompt": theirs.problem.text, "completions": theirs.steps, "labels": [True] * len(theirs.steps)}
    learned, kept = problem_texts(False), problem_texts(True)
    texts = [text for _, text in zip(range(120), learned, strict=False)][100:] + [next(kept)]
    job = import_bytes(project, lines(*marked_rows(texts, Random(1)), again), tmp_path, marks_of=MACHINE)
    assert job.status == "succeeded", job.report
    return StepScorer.objects.get(name=MACHINE)


def test_a_machine_teaches_with_its_weight_and_is_never_measured_on(
    project: Project, round_: Round, source: StepScorer
) -> None:
    browser = Browser(make_member(project, "researcher"))
    [offered] = browser.call("GET", f"/api/projects/{project.slug}/training_runs/options")["sources"]
    assert offered == {"id": source.pk, "name": MACHINE, "kind": "imported", "marks": 22}
    place, body = f"/api/projects/{project.slug}/training_runs", {"round_ids": [round_.pk], "base": "Tiny"}
    found = {}
    for name, asked in (("alone", []), ("with", [{"id": source.pk, "weight": 0.25}])):
        run = browser.call("POST", place, {**body, "sources": asked}, status=201)
        run_task("worker.train_prm", run["id"])
        found[name] = browser.call("GET", f"/api/training_runs/{run['id']}")
    alone, taught = found["alone"], found["with"]
    assert (alone["status"], taught["status"]) == ("succeeded", "succeeded")
    assert taught["sources"] == [{"id": source.pk, "name": MACHINE, "kind": "imported", "weight": 0.25}]
    assert alone["sources"] == []
    machine = taught["data"].pop("machines")[MACHINE]
    assert (machine["rows"], machine["problems"]) == (20, 20), (
        "neither what is only measured on nor what people labeled"
    )
    assert {name: taught["data"][name] for name in ("rows", "steps")} == {
        name: alone["data"][name] for name in ("rows", "steps")
    }, "people's rows are counted apart"
    assert [one["n"] for one in taught["figures"]] == [one["n"] for one in alone["figures"]]
    assert any(f"In addition, {MACHINE} gives 20 rows" in line for line in taught["log"])
    meta = taught["report"]["meta"]
    assert meta["lineage"]["sources"] == taught["sources"]
    assert f"{MACHINE} (imported, a step weighs 0.25)" in meta["roles"]["automated_judge"]
    assert len(meta["lineage"]["learned"]["problems"]) == 100
    assert alone["snapshot_id"] != taught["snapshot_id"]


def test_machines_of_others_outcomes_and_odd_weights_are_refused_in_words(
    project: Project, round_: Round, source: StepScorer
) -> None:
    browser = Browser(make_member(project, "researcher"))
    place, body = f"/api/projects/{project.slug}/training_runs", {"round_ids": [round_.pk], "base": "Tiny"}
    taught = [{"id": source.pk, "weight": 0.5}]
    other = make_project()
    stranger = StepScorer.objects.create(name="theirs", kind="judge", project=other, spec={}, fingerprint="x" * 8)
    for asked, field in (
        ({"sources": [{"id": stranger.pk, "weight": 0.5}]}, "There is no source"),
        ({"sources": taught, "target": "outcome"}, "Choose steps"),
        ({"sources": [{"id": source.pk, "weight": 0}]}, "0.001"),
        ({"sources": [{"id": source.pk, "weight": 2}]}, "less than or equal to 1"),
    ):
        answer = browser.call("POST", place, {**body, **asked}, status=400)
        assert field in json.dumps(answer), answer
    assert not TrainingRun.objects.exists()


def test_a_step_that_counts_twice_is_as_good_as_two() -> None:
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randn(60, 4, generator=generator)
    labels = (inputs[:, 0] + torch.randn(60, generator=generator) > 0).long()
    each = torch.ones(60)
    each[::3] = 2.0
    rows = torch.arange(60).repeat_interleave(each.long())
    weighed = stacked.fit_scaled(inputs, labels, each)
    doubled = stacked.fit_scaled(inputs[rows], labels[rows])
    assert torch.allclose(weighed.odds(inputs), doubled.odds(inputs), atol=1e-3)
    [three] = metrics.fits(inputs, labels + (inputs[:, 1] > 1).long(), 3, [1.0], each * 0 + 1)
    [plain] = metrics.fits(inputs, labels + (inputs[:, 1] > 1).long(), 3, [1.0])
    assert torch.allclose(three.weight, plain.weight, atol=1e-3)


def test_training_the_base_leaves_machines_out_of_validation_and_says_how_many(tmp_path: Path, base: Path) -> None:
    chance = Random(2)
    people = [
        {"problem": f"P {number}?", "steps": [chance.choice(RIGHT), chance.choice(WRONG)], "step_labels": [1, -1]}
        for number in range(40)
    ]
    marks = [{**row, "weight": 0.5, "source": MACHINE} for row in people]
    file = tmp_path / "rows.jsonl"
    file.write_bytes(lines(*people, *marks))
    options = TrainOptions(base=base / "tiny", method="full", epochs=1, seed=0, tokens=512)
    meta = train([file], tmp_path / "out", options)
    measured = sum(examples.part_name(examples.part_of(row["problem"], 0)) != "train" for row in people)
    assert meta["left_out"]["marked by machines, of problems used for measuring"] == measured > 0
    assert meta["validation"]["steps"] == 2 * sum(
        examples.part_name(examples.part_of(row["problem"], 0)) == "validation" for row in people
    )
    file.write_bytes(lines({**people[0], "weight": -1}))
    with pytest.raises(SpecError, match="weight must be above 0"):
        train([file], tmp_path / "other", options)
