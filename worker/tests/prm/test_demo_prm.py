"""The head of the demo's PRM: small, accurate about itself, and used only with the model that it was fitted on."""

import json
from pathlib import Path

import pytest
from safetensors import safe_open

from worker.demo_prm import HEAD, write_prm
from worker.prm.errors import CheckpointError
from worker.tests.prm import tiny

META = json.loads((HEAD / "meta.json").read_text())


def test_the_head_fits_the_layer_that_its_card_names_and_weighs_next_to_nothing() -> None:
    assert sum(file.stat().st_size for file in HEAD.iterdir()) < 5 * 2**20
    with safe_open(HEAD / "head.safetensors", framework="pt") as opened:
        shapes = {name: opened.get_slice(name).get_shape() for name in opened.keys()}  # noqa: SIM118 (not a mapping)
    assert shapes == {"score.weight": [len(META["labels"]), 576], "score.bias": [len(META["labels"])]}
    assert 1 <= META["layer"] <= 30


def test_its_readme_says_what_it_learned_from_and_how_good_it_is() -> None:
    readme = (HEAD / "README.md").read_text()
    for fact in (META["data"][0]["sha256"], META["base_checksum"], META["lineage"]["snapshot_id"]):
        assert fact in readme
    assert f"{META['validation']['auc']:.3f}" in readme
    assert f"{META['lineage']['labels']} labels" in readme


def test_another_model_than_the_one_it_was_fitted_on_is_refused_with_the_way_out(tmp_path: Path) -> None:
    tiny.step_classifier(tmp_path / "other", kind="llama")
    with pytest.raises(CheckpointError, match=r"states of another model.*python -m bench.demo_prm --head"):
        write_prm(tmp_path / "other", tmp_path / "prm")
    assert not (tmp_path / "prm").exists()
