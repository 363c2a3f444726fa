"""Custom columns: a mapping says which column is what, by API and command, and is stored for reuse."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from labeling.actions.imports import run_import
from labeling.models import ImportJob, Score, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.imports.test_import_api import upload

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = [
    {"q": {"question": "2+3?"}, "said": "Add.\n\nIt is 6.", "seen": "1,0", "key": 5, "ok": "no", "licence": "mine"},
    {"q": {"question": "2+4?"}, "said": "Add.\n\nIt is 6.", "seen": "+ +", "key": 6, "ok": "yes", "licence": "too"},
]
MAPPING = {"problem": "q.question", "steps": "said", "split": "blank_line", "marks": "seen", "marks_are": "hard"}
MAPPING |= {"ground_truth_answer": "key", "outcome": "ok"}


@pytest.fixture
def researcher() -> Browser:
    return Browser(make_member(make_project("algebra"), "researcher"))


def checked(researcher: Browser, data: bytes, **fields: Any) -> int:
    """Return the id of an import that was only checked."""
    job = upload(researcher, data, dry_run="true", **fields).json()
    run_import(job["id"])
    return int(job["id"])


def test_an_unknown_file_is_looked_at_mapped_tried_and_imported_with_its_mapping_kept(researcher: Browser) -> None:
    first = checked(researcher, lines(*ROWS))
    job = researcher.call("GET", f"/api/imports/{first}")
    (kind,) = job["report"]["faults"]["kinds"]
    assert (kind["kind"], kind["count"], job["can_map"], job["format"]) == ("unknown_columns", 1, True, "")
    told = researcher.call("GET", f"/api/imports/{first}/rows")
    assert [row["row"] for row in told["rows"]] == ROWS
    names = [column["name"] for column in told["columns"]]
    assert names == ["q", "q.question", "said", "seen", "key", "ok", "licence"], "as the file has them"
    assert (told["suggested"], told["suggested_by"]) == ({"problem": "q.question"}, None)

    tried = researcher.call("POST", f"/api/imports/{first}/preview", {"mapping": MAPPING})
    assert tried["faults"] == []
    assert (tried["traces"][0]["steps"], tried["traces"][0]["marks"]) == (["Add.", "It is 6."], [1.0, 0.0])
    bad = researcher.call("POST", f"/api/imports/{first}/preview", {"mapping": {**MAPPING, "split": "list"}})
    assert [(fault["kind"], fault["field"]) for fault in bad["faults"]] == [("wrong_type", "said")] * 2
    assert not Trace.objects.exists()

    asked = {"mapping": MAPPING, "marks_of": "a judge"}
    done = researcher.call("POST", f"/api/imports/{first}/import", asked, status=201)
    run_import(done["id"])
    trace, other = Trace.objects.order_by("id")
    assert (trace.problem.text, trace.problem.answer, trace.outcome, other.outcome) == ("2+3?", "5", "wrong", "correct")
    assert (trace.splitter_version, trace.metadata["row.licence"]) == ("blank_line/1", "mine"), "nothing is lost"
    assert Score.objects.get(trace=trace).scorer.name == "a judge"
    made = researcher.call("GET", f"/api/imports/{done['id']}")
    assert (made["format"], made["mapping"], made["can_map"]) == ("columns", MAPPING, False)
    assert ImportJob.objects.get(pk=first).head == [], "what is imported needs no looking at"

    again = checked(researcher, lines(ROWS[0]))
    told = researcher.call("GET", f"/api/imports/{again}/rows")
    assert (told["suggested"], told["suggested_by"]) == (MAPPING, done["id"])


WRONG: list[tuple[Any, str]] = [
    (7, "Give an object"),
    ({"steps": "a"}, "problem: Say which column"),
    ({"problem": "a", "steps": "a"}, "Choose a different column"),
    ({"problem": "a", "steps": "b", "split": "regex"}, "split: "),
    ({"problem": "a", "steps": "b", "split": "tag"}, "pattern: "),
    ({"problem": "a", "steps": "b", "split": "custom", "pattern": "x" * 150}, "pattern: "),
    ({"problem": "a", "steps": "b", "marks_are": "stars"}, "marks_are: Choose one of"),
    ({"problem": "a", "steps": ["b"]}, "steps: Give a text"),
    ({"problem": "a", "steps": "b", "other": "c"}, "no such key"),
]


def test_a_mapping_that_cannot_be_is_refused_by_its_key(researcher: Browser) -> None:
    job = checked(researcher, lines(*ROWS))
    for mapping, said in WRONG:
        refused = researcher.call("POST", f"/api/imports/{job}/preview", {"mapping": mapping}, status=400)
        assert said in " ".join(refused["fields"]["mapping"]), mapping
    sent = upload(researcher, lines(*ROWS), mapping=json.dumps(MAPPING), format="neutral")
    assert (sent.status_code, list(sent.json()["fields"])) == (400, ["format"])
    both = upload(researcher, lines(*ROWS), mapping=json.dumps(MAPPING), labels_of="a", marks_of="b")
    assert (both.status_code, list(both.json()["fields"])) == (400, ["marks_of"])
    assert ImportJob.objects.count() == 1


def test_the_mapping_may_come_with_the_file(researcher: Browser) -> None:
    job = run_import(upload(researcher, lines(*ROWS), mapping=json.dumps(MAPPING)).json()["id"])
    assert job is not None
    assert (job.format, job.report["traces"]["new"]) == ("columns", 2)
    assert Trace.objects.earliest("id").recorded_first_error == 1, "marks without a name are recorded"


def test_the_command_takes_a_mapping_too(tmp_path: Path) -> None:
    project = make_project("algebra")
    file, mapping = tmp_path / "own.jsonl", tmp_path / "mapping.json"
    file.write_bytes(lines(*ROWS))
    mapping.write_text(json.dumps(MAPPING))
    call_command("import_traces", "algebra", str(file), mapping=mapping, marks_of="a judge", stdout=io.StringIO())
    assert Score.objects.filter(trace__project=project).count() == 2
    mapping.write_text("{}")
    with pytest.raises(CommandError, match="problem: Say which column it is"):
        call_command("import_traces", "algebra", str(file), mapping=mapping, stdout=io.StringIO())


CELLS: list[tuple[dict[str, str], dict[str, Any], dict[str, Any]]] = [
    ({"split": "list"}, {"s": '["a", "b"]'}, {"steps": ["a", "b"]}),
    ({"split": "list"}, {"s": [{"text": "a"}, {"content": "b"}]}, {"steps": ["a", "b"]}),
    ({"split": "tag", "pattern": "ки"}, {"s": "a ки\nb ки"}, {"steps": ["a", "b"]}),
    (
        {"split": "custom", "pattern": "Claim {n}:"},
        {"s": "Claim 1: a\nClaim 2: b"},
        {"steps": ["Claim 1: a", "Claim 2: b"]},
    ),
    ({"marks": "m", "marks_are": "first_error"}, {"s": ["a", "b"], "m": 1}, {"recorded_first_error": 1}),
    ({"marks": "m", "marks_are": "first_error_from_1"}, {"s": ["a", "b"], "m": "2"}, {"recorded_first_error": 1}),
    ({"marks": "m", "marks_are": "first_error_from_1"}, {"s": ["a", "b"], "m": "N/A"}, {"recorded_first_error": -1}),
    ({"marks": "m"}, {"s": ["a", "b"], "m": "[true, false]"}, {"recorded_ratings": [1, -1]}),
    ({"marks": "m"}, {"s": ["a", "b"], "m": None}, {"recorded_ratings": None}),
]


def test_cells_are_read_as_the_mapping_says(tmp_path: Path) -> None:
    for mapping, row, expected in CELLS:
        project = make_project()
        asked = {"problem": "p", "steps": "s", **mapping}
        job = import_bytes(project, lines({"p": "P?", **row}), tmp_path, mapping=asked)
        assert job.report["faults"]["kinds"] == [], (mapping, row)
        trace = Trace.objects.get(project=project)
        assert {name: getattr(trace, name) for name in expected} == expected, (mapping, row)


def test_a_table_of_unknown_columns_is_read_and_prose_is_not(tmp_path: Path) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([["Ask", "Said"], ["P, or not?", "One.\nTwo."], ["Q?", "One.\nThree."]])
    mapping = {"problem": "ask", "steps": "said", "split": "newline"}
    project = make_project()
    job = import_bytes(project, out.getvalue().encode(), tmp_path, mapping=mapping)
    assert (job.report["faults"]["kinds"], Trace.objects.filter(project=project).count()) == ([], 2)
    prose = import_bytes(project, b"Dear all, hello.\nNothing, in here, is a table.\n", tmp_path)
    assert [kind["kind"] for kind in prose.report["faults"]["kinds"]] == ["not_json"]


def test_huge_and_deep_rows_are_not_kept_to_be_looked_at(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    rows = lines({"a": "x" * 300_000, "b": 1}, {"a": deep, "b": 1}, {"a": "small", "b": 2})
    job = import_bytes(make_project(), rows, tmp_path, dry_run=True)
    assert [kept["row"] for kept in job.head] == [{"a": "small", "b": 2}]
