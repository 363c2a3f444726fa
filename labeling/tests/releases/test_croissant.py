"""A release's croissant.json as used by Croissant's readers: to get the rows."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from labeling.actions import exports, releases
from labeling.formats.croissant import plain_columns
from labeling.formats.exports import EXPORT_FORMATS
from labeling.models import Project, Release
from labeling.tests.exports.test_labels_go_home import label_a_run_of_each, make_project_of_runs
from labeling.tests.exports.test_parquet import project
from labeling.tests.factories import make_member
from labeling.tests.releases.test_releases import ran, released

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["project"]  # a fixture
OF_RUNS = {name for name, format in EXPORT_FORMATS.items() if format.kind == "home" or name.startswith("run_")}


def release_of(project: Project, formats: list[str], folder: Path, **asked: Any) -> Release:
    """Create a release of these formats, unpacked there."""
    admin = make_member(project, "admin")
    made = [exports.create_export(project, by=None, format=name, **asked) for name in formats]
    draft = releases.create_release(project, by=admin, name="All", exports=[one.pk for one in made])
    done = released(ran(draft), admin)
    with zipfile.ZipFile(releases.hand_out_release(done, by=admin)) as archive:
        archive.extractall(folder)
    return done


def test_rows_of_every_format_are_read_by_its_description_whatever_they_are_put_into(
    project: Project, tmp_path: Path
) -> None:
    croissant = pytest.importorskip("mlcroissant")
    runs = make_project_of_runs()
    label_a_run_of_each(runs, tmp_path)
    projects = ((project, sorted(EXPORT_FORMATS.keys() - OF_RUNS)), (runs, sorted(OF_RUNS)))
    for number, asked in enumerate(({}, {"gzip": True}, {"container": "parquet"})):
        for one, formats in projects:
            folder = tmp_path / f"{one.slug}-{number}"
            release = release_of(one, formats, folder, **asked)
            read = croissant.Dataset(jsonld=str(folder / "croissant.json"))
            described = {of["name"] for of in json.loads((folder / "croissant.json").read_text())["recordSet"]}
            for export in release.exports.all():
                name = f"{export.format}-train"
                if name in described:
                    assert len(list(read.records(name))) == export.rows, (name, asked)
                else:
                    assert not export.rows or not plain_columns(EXPORT_FORMATS[export.format].columns), (name, asked)
