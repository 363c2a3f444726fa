"""Finished files of an installation without a bucket: on its disk, or nowhere."""

import os
from pathlib import Path
from typing import Any

import pytest

from labeling.actions import kept_files
from labeling.actions.export_file import sha256_of
from labeling.errors import FileChanged, FileGone


@pytest.fixture
def kept(settings: Any, tmp_path: Path) -> Path:
    """A file in the data directory."""
    settings.DATA_DIR = tmp_path / "data"
    path = tmp_path / "data" / "exports" / "one.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    return path


def test_what_is_on_no_disk_is_told_to_be_gone_and_leaves_nothing_behind(kept: Path):
    missing = kept.with_name("two.jsonl")
    assert (kept_files.fetch_if_missing(kept), kept_files.fetch_if_missing(missing)) == (True, False)
    assert (kept_files.exists(kept), kept_files.exists(missing)) == (True, False)
    with pytest.raises(FileGone):
        kept_files.opened(missing)
    kept_files.fetch_folder_if_missing(kept.parent / "release")
    assert os.listdir(kept.parent) == ["one.jsonl"]


def test_a_file_that_an_operator_named_is_read_where_it_lies(kept: Path, tmp_path: Path):
    given = tmp_path / "given.jsonl"
    given.write_text("[]\n")
    for path, text in ((kept, b"{}\n"), (given, b"[]\n")):
        with kept_files.opened(path) as file:
            assert file.read() == text
    with pytest.raises(FileGone):
        kept_files.opened(tmp_path / "nothing.jsonl")


def test_browsers_get_it_from_this_server_until_it_is_forgotten(kept: Path):
    assert kept_files.link_to(kept, file_name="one.jsonl", content_type="application/jsonl", size=3) is None
    kept_files.forget(kept)
    kept_files.forget(kept)
    assert not kept_files.exists(kept)


def test_a_changed_file_is_found_out_also_after_more_files_than_a_process_remembers(
    kept: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(kept_files, "REMEMBERED", 2)
    paths = [kept.with_name(f"{number}.jsonl") for number in range(5)]
    for number, path in enumerate(paths):
        path.write_text(f"{number}\n")
    seals = {path: sha256_of(path) for path in paths}
    assert all(kept_files.fetch_if_missing(path, seal) for _ in range(2) for path, seal in seals.items())
    paths[0].write_text("9\n")
    with pytest.raises(FileChanged, match=r"exports/0\.jsonl has changed on the server"):
        kept_files.fetch_if_missing(paths[0], seals[paths[0]])
    assert kept_files.fetch_if_missing(paths[1], seals[paths[1]])
