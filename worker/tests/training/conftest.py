"""A base to train from, and a project whose labels can be learned."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from labeling.actions.training_runs import TRAINED
from labeling.models import Project, Round
from labeling.tests.factories import make_project
from labeling.tests.training.labels import many_labels
from worker import scoring_chunks
from worker.tests.prm import tiny
from worker.training import STATES


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models with one tiny base in it."""
    folder = tmp_path_factory.mktemp("bases")
    tiny.step_classifier(folder / "tiny", kind="llama", num_hidden_layers=3)
    return folder


@pytest.fixture(autouse=True)
def use_base(base: Path, settings: Any, tmp_path: Path) -> Iterator[None]:
    """Set the base as an operator would. Trained models are removed with the test."""
    settings.MODELS_DIR = tmp_path / "models"
    settings.MODELS_DIR.mkdir()
    (settings.MODELS_DIR / "tiny").symlink_to(base / "tiny")
    (settings.MODELS_DIR / TRAINED).mkdir()
    (base / STATES).mkdir(exist_ok=True)
    (settings.MODELS_DIR / TRAINED / STATES).symlink_to(base / STATES)  # slow work is done once
    settings.TRAINING_BASES = {"Tiny": "tiny"}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    scoring_chunks._loaded.clear()


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def round_(project: Project, tmp_path: Path) -> Round:
    """Make a round with labels on eighty problems to learn from and twelve to measure on."""
    return many_labels(project, tmp_path)
