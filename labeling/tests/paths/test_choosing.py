"""Choosing a path over HTTP: from the claim to the exported row."""

from collections.abc import Sequence
from typing import Any

import pytest

from labeling.models import Label, PathStep, Project
from labeling.tests.exports.labeled import exported
from labeling.tests.paths.world import PathLabeler, open_paths, project_with_problem

pytestmark = pytest.mark.django_db
ANSWER = "So it is 7.\n\n# Answer\n\n7"


def writes(prefix: Sequence[str], number: int) -> str:
    return ANSWER if len(prefix) == 2 else f"Step {len(prefix)}, version {number}."


@pytest.fixture
def project(settings: Any) -> Project:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    return project_with_problem()


def test_a_path_is_chosen_from_the_claim_to_the_row(project: Project) -> None:
    open_paths(project)
    ada = PathLabeler(project, writes)
    path = ada.claim()
    assert ada.label["protocol"] == "choose_step"
    assert ada.label["steps"] == []
    assert [one["text"] for one in path["open"]["completions"]] == ["Step 0, version 0."]
    assert path["open"]["state"] == "first"
    path = ada.step(1)
    assert [step["text"] for step in path["steps"]] == ["Step 0, version 0."]
    path = ada.rest(-1)
    assert len(path["open"]["completions"]) == 3
    path = ada.step(-1, 0, -1, human="I add 3 and 4.")
    assert path["steps"][1]["source"] == "human"
    path = ada.step(1)
    assert (path["ended"], path["open"]) == ("final_answer", None)
    said = ada.submit(spans=[{"step": 1, "start": 1000, "end": 2000}])
    assert said["label"]["verdict"] == -1
    [row], _ = exported(project)
    assert [
        (
            step["chosen_completion"],
            step["human_completion"] and step["human_completion"]["text"],
            [one["rating"] for one in step["completions"] or []],
        )
        for step in row["label"]["steps"]
    ] == [(0, None, [1]), (None, "I add 3 and 4.", [-1, 0, -1]), (0, None, [1])]
    assert row["question"] == {"problem": "What is $3 + 4$?", "ground_truth_answer": "7"}
    label = Label.objects.get()
    assert label.task.trace.final_answer == "7"
    assert PathStep.objects.filter(label=label).count() == 3
