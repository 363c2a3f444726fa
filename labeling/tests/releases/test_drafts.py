"""A draft's contents, the names of its files, and what it carries over from the previous version."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from labeling.actions import exports, releases
from labeling.actions.problem_held_out import load_held_out
from labeling.actions.release_folder import folder_path, zip_path
from labeling.errors import InvalidFields, ReleaseNotReady
from labeling.formats.normalise import problem_key
from labeling.formats.release_questions import QUESTIONS
from labeling.models import Label, Project, Release, User
from labeling.tests.exports.labeled import give_label
from labeling.tests.exports.test_other_readers import OLD_DATASETS
from labeling.tests.factories import make_member
from labeling.tests.releases.test_releases import admin, drafted, project, ran, released

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["admin", "project"]  # fixtures

READ = """
import json, os, sys
os.environ["HF_HUB_OFFLINE"] = "1"
from datasets import __version__, load_dataset
folder, cache, *configs = sys.argv[1:]
loaded = {name: load_dataset(folder, name, cache_dir=cache) for name in configs}
print(json.dumps([int(__version__.split(".")[0]), {k: {s: len(v[s]) for s in v} for k, v in loaded.items()}]))
"""


def loaded(folder: Path, datasets: str, *configs: str) -> Any:
    """Return the version of that folder's `datasets` ("": the environment's own), and the rows by config and split."""
    environment = os.environ | {"PYTHONPATH": datasets, "HF_HOME": str(folder / "home")}
    command = [sys.executable, "-c", READ, str(folder), str(folder / f"cache{bool(datasets)}"), *configs]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_release_is_of_one_container_because_loaders_read_a_folder_as_one(project: Project, admin: User) -> None:
    give_label(project, [1, 1, 1])
    asked: list[dict[str, Any]] = [{}, {"container": "parquet"}]
    made = [exports.create_export(project, by=None, format="neutral", **one).pk for one in asked]
    with pytest.raises(InvalidFields) as refused:
        releases.create_release(project, by=admin, name="Sums", exports=made)
    assert "These are JSON lines and Parquet." in refused.value.extra["fields"]["exports"][0]
    assert not Release.objects.exists()


@pytest.mark.parametrize("asked", [{}, {"container": "parquet"}], ids=["lines", "parquet"])
def test_files_are_named_by_the_splits_that_they_hold(
    project: Project, admin: User, tmp_path: Path, asked: dict[str, Any]
) -> None:
    give_label(project, [1, 0, -1], labeler := make_member(project))
    give_label(project, [1, 1, 1], labeler)
    held = Label.objects.filter(project=project).values("task__trace__problem")[:1]
    project.problems.filter(pk__in=held).update(split="held_out")
    made = [
        exports.create_export(project, by=None, format="neutral", filters={"split": split}, **asked)
        for split in ("", "train", "held_out")
    ]
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=[one.pk for one in made]))
    first = released(draft, admin, overlap="It is said which they are.")
    with zipfile.ZipFile(releases.hand_out_release(first, by=admin)) as archive:
        archive.extractall(tmp_path)
    found = {"neutral-mixed": {"mixed": 2}, "neutral-train": {"train": 1}, "neutral-test": {"test": 1}}
    assert loaded(tmp_path, "", *found) == [5, found]
    assert loaded(tmp_path, str(OLD_DATASETS), *found) == [3, found]
    assert "do not train on all of it" in (tmp_path / "README.md").read_text()
    shutil.rmtree(folder_path(first))
    project.problems.update(split="train")  # a packed release keeps its names
    before = zip_path(first).read_bytes()
    zip_path(first).unlink()
    ran(releases.repack_release(first, by=admin))
    assert zip_path(first).read_bytes() == before


def test_figures_that_the_product_filled_in_are_counted_anew_for_the_next_version(
    project: Project, admin: User
) -> None:
    give_label(project, [1, 1, 1])
    export = exports.create_export(project, by=None, format="neutral", roles={"base_model": "base-7b"})
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=[export.pk]))
    assert draft.answers["human_label_source"] == "1 label by people"
    answers = {one.name: "unknown" for one in QUESTIONS if one.name not in draft.answers}
    releases.answer_release(draft, by=admin, answers=answers | {"policy_model": "policy-1, greedy"})
    first = ran(releases.publish_release(draft, by=admin))
    give_label(project, [1, 0, -1])
    later = drafted(project, admin)
    assert later.answers["human_label_source"] == "2 labels by people"
    kept = {name: text for name, text in first.answers.items() if name != "human_label_source"}
    assert {name: later.answers[name] for name in kept} == kept, "what people typed, here or with the export"
    Release.objects.filter(pk=first.pk).update(facts={"labels": 1})  # as stored by an older version
    assert drafted(project, admin).answers["human_label_source"] == "2 labels by people"


def test_nothing_is_released_over_a_list_that_came_after_its_check(project: Project, admin: User) -> None:
    problem = give_label(project, [1, 0, -1]).task.trace.problem
    text = "A farm has ten hens. How many eggs are that?"
    type(problem).objects.filter(pk=problem.pk).update(text=text, text_hash=problem_key(text))
    draft = drafted(project, admin)
    assert draft.overlaps["exact"] == 0
    load_held_out("Farms", io.BytesIO(json.dumps({"problem": text}).encode()))
    with pytest.raises(ReleaseNotReady, match="Check it again"):
        released(draft, admin)
    checked = ran(releases.check_release(draft, by=admin))
    assert checked.overlaps["exact"] == 1
    with pytest.raises(InvalidFields):  # now it is asked why
        releases.publish_release(checked, by=admin)
