"""Exports in Parquet: the same rows as JSON lines, as tables that load wherever people load tables."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet as pq

from labeling.actions.exports import file_path, finished_file, hashes_path, repeat_export, run_export
from labeling.actions.labels import claim_next_label, submit_label
from labeling.errors import LabelNotCarried
from labeling.formats import parquet
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.exports.containers import FURTHER_KEYS, NUMBER, TEXT, WHOLE, YES_NO, Column
from labeling.models import Export, Project, Trace
from labeling.sources.marks import Hits
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import contents, exported, traces_of
from labeling.tests.exports.test_labels_go_home import label_a_run_of_each, make_project_of_runs
from labeling.tests.exports.test_other_readers import OLD_DATASETS
from labeling.tests.factories import make_member, make_project, make_submission, open_round
from labeling.tests.imports.files import done, import_bytes, lines, neutral_row, prm800k_row
from labeling.tests.sources.world import count_rollouts, rollouts

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Labels with many and with few details, on traces with answers: own, imported, of either phase."""
    project = make_project("algebra")
    own = {"generator": "gpt", "final_answer": "5", "tags": ["a"], "settings": {"t": 0.5}, "hard": 3}
    wrong = neutral_row("2+2?", ["Add.", "It is 5."], final_answer_correct=False, **own)
    right = neutral_row("2+2?", ["Add.", "It is 4."], final_answer="4", tags=[], settings={}, hard="very")
    traces_of(project, tmp_path, wrong, right, neutral_row("?", ["Nothing — é."], final_answer="1"))
    by_steps = {"It is 5.": [1, -1], "It is 4.": [1, 1], "Nothing — é.": [0]}
    about = {"comments": [{"step": 0, "text": "See\nabove."}], "total_ms": 900}
    mistake = {"progress": "some", "explanation": "A slip."}
    open_round(project)
    ada = make_member(project)
    while label := claim_next_label(ada, project).label:
        ratings = by_steps[label.task.trace.steps[-1]]
        said = {"mistake": mistake} if -1 in ratings else {}
        submit_label(label, make_submission(ratings, **about, **said))
    odd = prm800k_row("Odd?", campaign={"deep": [1, None]})
    odd["label"]["steps"][1]["completions"].append(done("It is 4?", 1))
    gave_up = prm800k_row("R?", labeler="labeler-b")
    gave_up["label"] |= {"finish_reason": "give_up"}
    assert import_bytes(project, lines(odd, gave_up), tmp_path).report["labels"]["new"] == 2
    trace = Trace.objects.get(project=project, steps=["Add.", "It is 5."])
    count_rollouts(rollouts(project, n=8), trace, [Hits(6, 8), Hits(8, 8), Hits(1, 8)])
    return project


def test_every_format_is_the_same_table_in_parquet_and_loads_wherever_people_load_tables(
    project: Project, tmp_path: Path
) -> None:
    said, files = {}, {}
    runs = make_project_of_runs()
    label_a_run_of_each(runs, tmp_path)
    for name, format in EXPORT_FORMATS.items():
        project_of = runs if format.kind == "home" or name.startswith("run_") else project
        said[name], plain = exported(project_of, name)
        table = run_export(_parquet(project_of, name).pk)
        assert table.manifest["row_hashes"] == plain.manifest["row_hashes"], name
        assert table.snapshot_id != plain.snapshot_id
        files[name] = str(finished_file(table))
        typed = pq.read_schema(files[name])
        assert pa.null() not in set(_types(typed)), name
        assert typed.equals(parquet.schema_of(EXPORT_FORMATS[name].columns)), name
        same(said[name], pq.read_table(files[name]).to_pylist())
    for name, file in files.items():
        count = len(said[name])
        assert len(polars.read_parquet(file)) == len(pandas.read_parquet(file)) == count, name
        assert duckdb.sql(f"SELECT count(*) FROM '{file}'").fetchall() == [(count,)], name
    for folder in ("", str(OLD_DATASETS)):
        for name, rows in read_by_datasets(files, folder, tmp_path).items():
            same(said[name], rows)


def _parquet(project: Project, name: str) -> Export:
    researcher = Browser(make_member(project, "researcher"))
    asked = {"format": name, "container": "parquet"}
    return Export.objects.get(
        pk=researcher.call("POST", f"/api/projects/{project.slug}/exports", asked, status=201)["id"]
    )


def _types(schema: pa.Schema) -> Iterator[pa.DataType]:
    waiting = [field.type for field in schema]
    while waiting:
        kind = waiting.pop()
        yield kind
        waiting += [kind.field(place).type for place in range(kind.num_fields)]


def same(said: Any, read: Any) -> None:
    """A table contains what the JSON does: null for missing values, and empty lists instead of missing ones."""
    if isinstance(read, list):
        assert len(said or ()) == len(read)
        for one, other in zip(said or (), read, strict=True):
            same(one, other)
    elif isinstance(read, dict):
        further = json.loads(read.pop(FURTHER_KEYS, None) or "{}")
        given = said or {}
        assert {name: value for name, value in given.items() if name not in read and value is not None} == further
        for name, value in read.items():
            same(given.get(name), value)
    else:
        assert said == read


READ = """
import json, os, sys
os.environ["HF_HUB_OFFLINE"] = "1"
from datasets import __version__, load_dataset
files, cache = json.loads(sys.argv[1]), sys.argv[2]
assert __version__[0] == sys.argv[3]
load = lambda file, **how: load_dataset("parquet", data_files=file, split="train", **how)
found = {name: list(load(file, cache_dir=cache)) for name, file in files.items()}
assert found == {name: list(load(file, streaming=True)) for name, file in files.items()}
print(json.dumps(found))
"""


def read_by_datasets(files: dict[str, str], folder: str, home: Path) -> dict[str, list[Json]]:
    """Return the rows that that folder's `datasets` reads, the same whole and streamed; "" is the environment's own."""
    environment = os.environ | {"PYTHONPATH": folder, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home / "home")}
    arguments = [json.dumps(files), str(home / f"cache{bool(folder)}"), "3" if folder else "5"]
    command = [sys.executable, "-c", READ, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[Json]] = json.loads(done.stdout)
    return found


def test_a_table_is_handed_out_under_its_name_and_is_not_packed_twice(project: Project) -> None:
    researcher = Browser(make_member(project, "researcher"))
    asked = {"format": "neutral", "container": "parquet", "gzip": True}
    refused = researcher.call("POST", f"/api/projects/{project.slug}/exports", asked, status=400)
    assert refused["fields"] == {"gzip": ["A Parquet file is already compressed: export it without gzip."]}
    asked = {"format": "neutral", "container": "xlsx"}
    assert "container" in researcher.call("POST", f"/api/projects/{project.slug}/exports", asked, status=400)["fields"]
    made = run_export(_parquet(project, "neutral").pk)
    answer = researcher.get(f"/api/exports/{made.pk}/download")
    assert answer["Content-Disposition"] == f'attachment; filename="algebra-neutral-{made.pk}.parquet"'
    assert answer["Content-Type"] == "application/vnd.apache.parquet"
    assert pq.read_table(BytesIO(answer.getvalue())).num_rows == made.rows
    assert (made.manifest["file"]["container"], made.manifest["file"]["sha256"]) == ("parquet", made.sha256)
    assert finished_file(made).stat().st_mode & 0o777 == 0o600


def test_rows_stand_in_groups_of_one_schema_and_the_bytes_are_equal_also_after_a_break(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "BATCH_BYTES", 1)
    monkeypatch.setattr(parquet, "GROUP_BYTES", 900)
    plain = exported(project, "neutral")[1]
    whole = run_export(_parquet(project, "neutral").pk)
    groups = pq.ParquetFile(finished_file(whole)).metadata
    assert 1 < groups.num_row_groups < groups.num_rows == whole.rows
    broken = repeat_export(whole, by=None)
    folder = finished_file(plain).parent
    rows = contents(plain)
    (folder / f"{broken.pk}.jsonl").write_bytes(rows)
    (folder / f"{broken.pk}.jsonl.hashes").write_bytes(hashes_path(finished_file(plain)).read_bytes())
    file_path(broken).write_bytes(b"PAR1torn")
    written = {"labels": whole.labels_total, "bytes": len(rows), "rows": whole.rows}
    Export.objects.filter(pk=broken.pk).update(checkpoint={**whole.checkpoint, **written})
    mended = run_export(broken.pk)
    assert (mended.sha256, mended.snapshot_id, mended.manifest) == (whole.sha256, whole.snapshot_id, whole.manifest)
    names = {path.name for path in folder.glob(f"{mended.pk}.*")}
    assert names == {f"{mended.pk}.parquet", f"{mended.pk}.parquet.hashes"}, "the lines are gone"


def test_what_no_column_can_hold_fails_the_export_and_names_its_place(tmp_path: Path) -> None:
    project = make_project("algebra")
    row = prm800k_row("Q?")
    row["question"]["hint"] = "Add."
    import_bytes(project, lines(row), tmp_path)
    assert exported(project)[0] == [row]
    failed = run_export(_parquet(project, "prm800k").pk)
    assert failed.status == "failed"
    assert (
        "Row 1, question does not fit its Parquet column, which has the type object with only the keys problem,"
        in failed.error
    )
    assert failed.error.endswith("Export as JSON lines instead.")


def test_a_row_of_a_later_batch_is_named_by_its_number_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BATCH_BYTES", 1)
    rows = [b'{"n":[1,null]}', b'{"n":null}', b'{"n":[1.5]}']
    with pytest.raises(LabelNotCarried, match="Row 3, n does not fit its Parquet column, which"):
        parquet.write_parquet(rows, {"n": [WHOLE]}, {}, BytesIO())


SCALARS = {
    TEXT: st.text(max_size=5),
    WHOLE: st.integers(-(2**63), 2**63 - 1),
    NUMBER: st.floats(allow_nan=False, allow_infinity=False),
    YES_NO: st.booleans(),
}


def values(column: Column) -> st.SearchStrategy[Any]:
    """Draw anything that a row may have in a column, including null and absent keys."""
    if isinstance(column, str):
        return st.none() | SCALARS[column]
    if isinstance(column, list):
        return st.none() | st.lists(values(column[0]), max_size=2)
    return st.none() | st.fixed_dictionaries({}, optional={name: values(one) for name, one in column.items()})


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_whatever_rows_hold_comes_back_from_the_table(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(EXPORT_FORMATS)))
    columns = {key: one for key, one in EXPORT_FORMATS[name].columns.items() if key != FURTHER_KEYS}
    rows = data.draw(st.lists(st.fixed_dictionaries({key: values(one) for key, one in columns.items()}), max_size=3))
    file = BytesIO()
    parquet.write_parquet([json.dumps(row).encode() for row in rows], EXPORT_FORMATS[name].columns, {}, file)
    same(rows, pq.read_table(BytesIO(file.getvalue())).to_pylist())
