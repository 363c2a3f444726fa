"""docs/quickstart.ipynb does what it says: its cells run in order, against the product itself."""

import json
from pathlib import Path
from typing import Any

import datasets
import pytest
from django.conf import settings

from labeling.models import Membership, Round, Score, StepScorer
from worker import scoring_chunks
from worker.tests.prm import tiny

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
NOTEBOOK = Path(settings.BASE_DIR) / "docs" / "quickstart.ipynb"


@pytest.fixture
def base(tmp_path: Path, settings: Any) -> Any:
    """A tiny language model to train from, as configured by an operator."""
    settings.MODELS_DIR, settings.TRAINING_BASES = tmp_path / "models", {"Tiny": "tiny"}
    (tmp_path / "models" / "trained").mkdir(parents=True)
    tiny.step_classifier(tmp_path / "models" / "tiny", kind="llama", num_hidden_layers=3)
    yield
    scoring_chunks._loaded.clear()


@pytest.mark.usefixtures("site", "base", "working")
def test_the_notebook_goes_from_a_file_to_a_trained_head_and_a_release(algebra, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("STEPMARK_PROJECT", algebra.slug)
    monkeypatch.chdir(tmp_path)
    Membership.objects.filter(user__username="rosa").update(role="admin")
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    names: dict[str, Any] = {}
    for number, cell in enumerate(cells):
        assert not cell.get("outputs"), "a notebook is kept without what one machine said"
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    names["site"].http.close()
    assert "rosa in" in capsys.readouterr().out
    assert (names["run"]["status"], names["run"]["prm"]["status"]) == ("succeeded", "ready")
    assert {one["name"]: one["value"] for one in names["run"]["figures"]}["auc"] > 0.9
    assert len(names["frame"]) == names["export"]["rows"] == 200
    row = json.loads(names["target"].read_text().splitlines()[0])
    assert set(row) >= {"prompt", "completions", "labels"}
    assert names["release"]["state"] == "released"
    rows = datasets.load_dataset(str(tmp_path / "sums"), split="train", cache_dir=str(tmp_path / "cache"))
    assert rows.column_names == ["prompt", "completions", "labels", "step_sources"]
    assert rows.num_rows == 200
    imported = StepScorer.objects.get(kind="imported")
    assert Score.objects.filter(scorer=imported).count() == 40
    chosen = Round.objects.get(scorer=imported)
    assert (chosen.status, chosen.tasks.count()) == ("ready", 11)
    assert set(chosen.tasks.values_list("reason", flat=True)) == {"control", "convincing_wrong"}
