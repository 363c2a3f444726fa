"""A models folder with tiny checkpoints, for every test of rounds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from worker import scoring_chunks
from worker.tests.prm import tiny


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Checkpoints under the names that records use."""
    folder = tmp_path_factory.mktemp("models")
    tiny.step_classifier(folder / "classifier")
    tiny.qwen_prm(folder / "qwen")
    return folder


@pytest.fixture(autouse=True)
def use_models(models: Path, settings: Any) -> Iterator[None]:
    """Set the models folder as an operator would. One thread, because the models are tiny; tests share no model."""
    settings.MODELS_DIR = models
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    scoring_chunks._loaded.clear()
