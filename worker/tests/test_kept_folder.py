"""Test data kept between runs: only for today's code, and for one process at a time."""

import subprocess
import sys
import time
from pathlib import Path

from worker.tests.kept_folder import kept_folder

LOOK = """
import sys
from pathlib import Path
from worker.tests.kept_folder import kept_folder

kept, source, note = map(Path, sys.argv[1:])
note.write_text("waits")
with kept_folder(kept, [source]) as folder:
    note.write_text(str(sorted(path.name for path in folder.iterdir())))
"""


def test_what_was_made_from_the_same_is_found_again_and_what_was_made_from_something_else_is_gone(
    tmp_path: Path,
) -> None:
    source, kept = tmp_path / "head", tmp_path / "kept"
    source.write_text("first")
    (kept / "of an older layout").mkdir(parents=True)
    with kept_folder(kept, [source], ["gguf 1"]) as first:
        (first / "model").touch()
    with kept_folder(kept, [source], ["gguf 1"]) as again:
        assert [path.name for path in again.iterdir()] == ["model"]
    source.write_text("second")
    with kept_folder(kept, [source], ["gguf 1"]) as second:
        assert list(second.iterdir()) == []
    with kept_folder(kept, [source], ["gguf 2"]) as third:
        assert list(third.iterdir()) == []
    assert len({first, second, third}) == 3
    assert sorted(path.name for path in kept.iterdir()) == sorted(["lock", third.name])


def test_another_process_waits_until_the_folder_is_whole(tmp_path: Path) -> None:
    source, kept, note = tmp_path / "head", tmp_path / "kept", tmp_path / "note"
    source.write_text("first")
    with kept_folder(kept, [source]) as folder:
        other = subprocess.Popen([sys.executable, "-c", LOOK, kept, source, note])
        while not note.exists() and other.poll() is None:
            time.sleep(0.05)
        time.sleep(0.2)
        assert note.read_text() == "waits"
        (folder / "model").touch()
    assert other.wait(60) == 0
    assert note.read_text() == "['model']"
