"""The demo's language model and PRM for a test, written to disk once for all runs of the tests."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from annotation_app.local.stack import BASE_DIR, BASES
from labeling.actions.training_runs import TRAINED
from worker import scoring_chunks, smollm2
from worker.demo_prm import NAME, make_models

FOLDER = BASE_DIR / "var" / "tests" / "models"


@contextmanager
def demo_models(settings: Any) -> Iterator[dict[str, Any]]:
    """The PRM's record, under settings with which both can be used. Skips where the wheel is not installed."""
    if not smollm2.is_installed():
        pytest.skip("the wheel of the demo's language model is not installed: requirements/demo.txt")
    make_models(FOLDER)
    settings.MODELS_DIR, settings.TRAINING_BASES = FOLDER, BASES
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the other cores have tests of their own
    yield json.loads((FOLDER / f"{NAME}.json").read_text())
    torch.set_num_threads(threads)
    scoring_chunks._loaded.clear()
    shutil.rmtree(FOLDER / TRAINED, ignore_errors=True)
