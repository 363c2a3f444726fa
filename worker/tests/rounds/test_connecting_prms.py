"""What workers do for a PRM being connected: find its folder, check it, and score a trace that an admin typed."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.prm_connections import try_prm
from labeling.configs import FAMILIES
from labeling.models import StepScorer, Trace
from labeling.tests.factories import make_member, make_project
from worker.model_folders import model_folders
from worker.prm.registry import LOCAL, SERVERS
from worker.tests.prm import tiny
from worker.tests.rounds.world import make_prm, run_task

pytestmark = pytest.mark.django_db


def test_the_families_that_people_choose_among_are_those_that_workers_know() -> None:
    assert {name for name, family in FAMILIES.items() if family.place == "folder"} == set(LOCAL)
    assert {name for name, family in FAMILIES.items() if family.place == "server"} == set(SERVERS)
    for name, family in FAMILIES.items():
        assert family.aggregation in family.aggregations
        if name in LOCAL:
            assert set(family.aggregations) == set(LOCAL[name].aggregations)


def test_workers_find_the_models_under_their_folder_and_nothing_outside_of_it(tmp_path: Path, models: Path) -> None:
    root, outside = tmp_path / "models", tmp_path / "outside"
    tiny.step_classifier(outside)
    for name, config in {
        "Qwen/PRM-7B": {"architectures": ["Qwen2ForProcessRewardModel"]},
        "Skywork-PRM": {"architectures": ["Qwen2ForPrmModel"]},
        "ReasonEval-34B": {"architectures": ["LlamaForCausalLM"], "score_dim": 3},
        "math-shepherd-mistral-7b-prm": {"architectures": ["MistralForCausalLM"]},
        "smollm2": {"architectures": ["LlamaForCausalLM"]},
        "odd": ["no object"],
        "trained/7": {"architectures": ["LlamaForTokenClassification"]},
        ".cache": {},
        "too/deep/to/find": {},
    }.items():
        (root / name).mkdir(parents=True)
        (root / name / "config.json").write_text(json.dumps(config))
    (root / "Qwen/PRM-7B/pytorch_model.bin").touch()
    (root / "link").symlink_to(outside)
    assert {one["folder"]: (one["family"], one["weights"]) for one in model_folders(root)} == {
        "math-shepherd-mistral-7b-prm": ("math_shepherd", "none"),
        "odd": ("", "none"),
        "Qwen/PRM-7B": ("qwen_prm", "pickled"),
        "ReasonEval-34B": ("reasoneval", "none"),
        "Skywork-PRM": ("skywork", "none"),
        "smollm2": ("", "none"),
    }
    assert {one["folder"]: one["family"] for one in model_folders(models)} == {
        "classifier": "step_classifier",
        "qwen": "qwen_prm",
    }
    assert model_folders(tmp_path / "nowhere") == []


def test_a_trace_of_ones_own_gets_a_number_for_each_step_or_the_reason(models: Path, subtests: Any) -> None:
    project = make_project()
    prm = make_prm({"family": "step_classifier", "path": "classifier"})
    about = {"by": make_member(project), "expected": None}
    with subtests.test("numbers"):
        trial = try_prm(project, prm, problem="1 + 1?", steps=["1 + 1 = 2.", "So 2."], **about)
        run_task("worker.try_prm", trial.pk)
        trial.refresh_from_db()
        assert (trial.status, len(trial.scores or [])) == ("succeeded", 2)
        assert all(0 < one < 1 for one in [*(trial.scores or [0]), math.exp(trial.score or 0)])
    with subtests.test("a reason"):
        trial = try_prm(project, prm, problem="1 + 1?", steps=["1 + 1 = 2.", " "], **about)
        run_task("worker.try_prm", trial.pk)
        trial.refresh_from_db()
        assert (trial.status, trial.scores, trial.reason) == ("succeeded", None, "step 1 is empty")
    with subtests.test("other weights"):
        StepScorer.objects.filter(pk=prm.pk).update(fingerprint="another")
        trial = try_prm(project, prm, problem="1 + 1?", steps=["2."], **about)
        run_task("worker.try_prm", trial.pk)
        trial.refresh_from_db()
        assert (trial.status, "have changed since it was checked" in trial.error) == ("failed", True)
    assert not Trace.objects.exists()
