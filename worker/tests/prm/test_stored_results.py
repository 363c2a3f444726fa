"""Pages of docs/ are written again from the results that are stored, without measuring anything."""

import shutil
from importlib import import_module
from pathlib import Path

import pytest

WRITERS = [
    "bench.prm_quality",
    "bench.stacked_head",
    "bench.active_learning_report",
    "bench.label_efficiency_report",
    "bench.simulated_pool_report",
    "bench.replay_report",
]


@pytest.mark.parametrize("name", WRITERS)
def test_a_page_written_from_stored_results_is_the_page_in_docs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that was renamed in the code alone, or a sentence that was changed on the page alone, is found here."""
    writer = import_module(name)
    page: Path = writer.PAGE
    monkeypatch.setattr(writer, "PAGE", Path(shutil.copy(page, tmp_path)))
    if hasattr(writer, "write"):
        writer.write()
    else:
        writer.main(["--write-only"])
    assert writer.PAGE.read_text() == page.read_text()
