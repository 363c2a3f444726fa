"""Labels from the product, as other people's code reads the files: PRM800K's readers, and readers of tables."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import pandas
import polars
import pytest

from labeling.actions.labels import claim_next_label, submit_label
from labeling.configs import TraceFilter
from labeling.models import Completion, Project
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import contents, exported, give_label, traces_of
from labeling.tests.exports.readers import trl_rows, typed_item
from labeling.tests.factories import open_round
from labeling.tests.imports.files import SHARED_DATA, import_bytes, import_file, lines, neutral_row, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)

OLD_DATASETS = Path(sys.prefix) / "datasets-3"  # in addition to the newest, which is the environment's own
ROWS = 50_000
WRITTEN_WITH_ANSWER = ["It is 4.\n\n# Answer\n\n4", "# Answer\n\n4", "It is 4.\n# Answer\n4"]


def test_every_kind_of_own_label_is_read_by_the_readers_of_prm800k(tmp_path: Path) -> None:
    project = factories.make_project()
    rows = [neutral_row(f"{number}?", ["Add.", "It is 4.", "So 4."], final_answer="4") for number in range(6)]
    traces_of(project, tmp_path, *rows)
    open_round(project, overlap=5)
    label = claim_next_label(factories.make_member(project), project).label
    offered = Completion.objects.create(trace=label.task.trace, step_index=1, text="It is 5.")
    rated = [{"completion": offered.pk, "rating": -1, "flagged": True}]
    submit_label(label, factories.make_submission([1, 1, 0], alternatives=rated))
    give_label(project, [1, -1, None], mistake={"progress": "some", "explanation": ""})
    give_label(project, [-1, None, None])
    give_label(project, [1, None, None], finish_reason="give_up", finish_detail={"text": "Too long."})
    give_label(project, [None] * 3, finish_reason="give_up", finish_detail={"text": "Too long."})
    give_label(project, [None] * 3, finish_reason="bad_problem", finish_detail={"kind": "vague", "text": "Which?"})
    found, _ = exported(project)
    for row in found:
        typed_item(row)
    read = [[one["labels"] for one in trl_rows(row)] for row in found]
    assert read[:4] == [[[True, False], [True, True, False]], [[True, False], [True]], [[False], []], [[True]]]


def test_the_time_of_a_label_that_came_without_one_is_the_servers_own() -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    browser = Browser(ada)
    label = browser.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
    body = {"idempotency_key": str(uuid4()), "finish_reason": "solution", "ratings": [1, 1, 1]}
    browser.call("POST", f"/api/labels/{label['id']}/submit", body)
    [row] = exported(project)[0]
    typed_item(row)
    assert 0 <= row["label"]["total_time"] < 60_000


@pytest.mark.parametrize("last", WRITTEN_WITH_ANSWER)
def test_an_answer_that_the_last_step_says_is_not_said_twice(tmp_path: Path, last: str) -> None:
    project = factories.make_project()
    traces_of(project, tmp_path, neutral_row("2+2?", ["Add.", last], final_answer="4"))
    give_label(project, [1, 1])
    [row] = exported(project)[0]
    assert row["question"]["pre_generated_steps"] == ["Add.", last]


def test_a_mixed_export_loads_wherever_people_load_tables(tmp_path: Path) -> None:
    project = factories.make_project()
    make_mixed(project, tmp_path)
    found, export = exported(project, "neutral")
    head, body = contents(export).splitlines(keepends=True)[:60], contents(export).splitlines(keepends=True)[60:]
    file = tmp_path / "mixed.jsonl"
    file.write_bytes(b"".join([*head, *(body * (ROWS // len(body) + 1))[: ROWS - len(head)]]))
    assert {str(shape_of(row)) for row in found} == {str(shape_of(found[0]))}, "the same keys in the same order"
    assert len(polars.read_ndjson(file)) == ROWS
    assert len(pandas.read_json(file, lines=True)) == ROWS
    assert duckdb.sql(f"SELECT count(*) FROM read_json('{file}')").fetchall() == [(ROWS,)]
    for version, folder in ((5, ""), (3, str(OLD_DATASETS))):
        assert read_by_datasets(file, folder) == {"version": version, "rows": ROWS, "streamed": 15_000}


def shape_of(row: dict[str, Any]) -> list[Any]:
    """Return the keys of a row and its nested parts, except a trace's own objects and `mistake`, which may be null."""
    about = row["label"]
    return [list(row), list(about), list(about["finish_detail"])]


def make_mixed(project: Project, folder: Path) -> None:
    """Create imported labels with few details, then labels from the product with all possible details."""
    imported = [prm800k_row(f"Imported {number}? {'Long. ' * 60}") for number in range(1_000)]
    for row in imported[1::2]:
        row["question"]["pre_generated_verifier_score"] = None
    import_bytes(project, lines(*imported), folder)
    if SHARED_DATA.joinpath("prm800k_native_records.jsonl").exists():
        import_file(project, SHARED_DATA / "prm800k_native_records.jsonl")
    own: dict[str, Any] = {"generator": "gpt", "final_answer": "5", "final_answer_correct": False}
    about = {"problem_id": "p", "ground_truth_answer": "4", "subject": "Algebra", "level": "1", "licence": "MIT"}
    odd = {"tags": [], "settings": {"t": None}}
    rows = [neutral_row(f"{number}+2?", ["Add.", "It is 5."], source="ours", orig=number, **odd) for number in range(3)]
    said_of_it = {"source": "ours", "tags": ["a"], "settings": {"t": 0.5, "n": 8}}
    rows += [neutral_row("2+2?", ["Add.", "5."], **said_of_it, **own, **about)]
    traces_of(project, folder, *rows)
    open_round(project, source="filter", filter=TraceFilter(source="ours"))
    labeler = factories.make_member(project)
    reports = [
        {"kind": "answer_wrong", "step": None, "text": ""},
        {"kind": "split_badly", "step": 1, "text": "Two."},
    ]
    give_label(project, [None] * 2, labeler, finish_reason="give_up", finish_detail={"text": "Long."})
    give_label(project, [0, -1], labeler)
    give_label(project, [None] * 2, labeler, finish_reason="bad_problem", finish_detail={"kind": "vague", "text": "x"})
    said = {"noticed_at_step": 1, "mistake": {"progress": None, "explanation": "A slip."}, "total_ms": 9_000}
    give_label(project, [1, -1], labeler, comments=[{"step": 1, "text": "No."}], reports=reports, **said)


READ = """
import json, sys
from datasets import __version__, load_dataset
file, cache = sys.argv[1:]
whole = load_dataset("json", data_files=file, split="train", cache_dir=cache)
streamed = load_dataset("json", data_files=file, split="train", streaming=True).take(15_000)  # more than one block
version = int(__version__.split(".")[0])
print(json.dumps({"version": version, "rows": len(whole), "streamed": sum(1 for _ in streamed)}))
"""


def read_by_datasets(file: Path, folder: str) -> dict[str, int]:
    """Return how many rows that folder's `datasets` reads, whole and streamed; "" is the environment's own."""
    environment = os.environ | {"PYTHONPATH": folder, "HF_HUB_OFFLINE": "1", "HF_HOME": str(file.parent / "home")}
    command = [sys.executable, "-c", READ, str(file), str(file.parent / f"cache{bool(folder)}")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    return found
