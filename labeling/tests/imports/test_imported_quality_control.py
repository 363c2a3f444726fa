"""Labels that were quality control or screening at their origin stay separate from work: the task's kind says so."""

import re
from pathlib import Path

import pytest

from labeling.actions.exports import repeat_export
from labeling.models import Label, Project, Round, StepScorer, Task
from labeling.queries import label_audits, training_examples
from labeling.queries.agreement import project_agreement
from labeling.queries.overview import project_overview
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import import_bytes, lines, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)
BASE_DIR = Path(__file__).resolve().parents[3]

WORK = prm800k_row(labeler="ada")
CHECKED = prm800k_row(labeler="ben", is_quality_control_question=True)
CHECKED_TOO = prm800k_row(labeler="ada", is_quality_control_question=True)
TESTED = prm800k_row("What is 3+3?", "cem", is_initial_screening_question=True)


def kinds(project: Project) -> list[tuple[str, str, str]]:
    """(labeler, problem, kind of task) of every label, in the file's order."""
    found = Label.objects.filter(project=project).order_by("pk")
    return list(found.values_list("labeler__external_id", "task__trace__problem__text", "task__kind"))


def test_labels_of_both_sorts_on_one_trace_have_a_task_each_in_one_round(tmp_path: Path) -> None:
    project = make_project()
    job = import_bytes(project, lines(WORK, CHECKED, CHECKED_TOO, TESTED), tmp_path)
    assert job.report["labels"]["new"] == 4
    assert kinds(project) == [
        ("ada", "What is $2+2$?", "work"),
        ("ben", "What is $2+2$?", "imported_qc"),
        ("ada", "What is $2+2$?", "imported_qc"),
        ("cem", "What is 3+3?", "imported_qc"),
    ]
    round_ = Round.objects.get(project=project)
    assert (round_.task_count, Task.objects.filter(round=round_).count()) == (3, 3)


def test_it_goes_out_as_it_came_in_and_into_training_rows_only_when_asked_for(tmp_path: Path) -> None:
    project = make_project()
    rows = [WORK, CHECKED, CHECKED_TOO, TESTED]
    import_bytes(project, lines(*rows), tmp_path)
    assert exported(project)[0] == rows
    assert exported(project, switches={"gold": "exclude"})[0] == [WORK]

    def labelers(**switches: str) -> list[str]:
        return [row["label"]["labeler"] for row in exported(project, "neutral", switches=switches)[0]]

    assert labelers() == ["ada"]
    export = exported(project, "neutral")[1]
    assert export.manifest["left_out"] == {"gold": 3}
    assert repeat_export(export, by=None).manifest["left_out"] == {"gold": 3}
    without = exported(project, "neutral", switches={"imported": "exclude"})[1]
    assert without.manifest["left_out"] == {"gold": 3, "imported": 1}
    researcher = Browser(make_member(project, "researcher"))
    assert researcher.get(f"/api/exports/{export.pk}").json()["left_out"] == {"gold": 3}
    sorts = researcher.get(f"/api/projects/{project.slug}/label_sorts").json()
    assert sorts == {"labels": 4, "gold": 3, "surplus": 0, "imported": 4}
    assert labelers(gold="include") == ["ada", "ben", "ada", "cem"]


def test_nobody_learns_from_it_or_audits_it_but_figures_count_it(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(WORK, CHECKED, TESTED), tmp_path)
    round_ = Round.objects.get(project=project)
    switches = {"surplus": "include", "aggregate": "each"}
    assert training_examples.preview(project, [round_.pk], switches)["labels"] == 1
    prm = StepScorer.objects.create(name="prm", spec={}, fingerprint="f", status="ready", scale="probability")
    assert label_audits.count_labels(project, prm)["labels"] == 1
    assert project_overview(project)["finish_mix"] == {"found_error": 3}
    assert project_agreement(project)["labels"] == 2  # of ada and ben, on one trace


def test_no_format_is_named_in_the_paths_of_queries_and_actions() -> None:
    named = re.compile(r"""(#>>?|->>?|jsonb_set\(.*|__)\s*['"]?\{?\s*(prm800k|neutral|processbench)(?![a-z0-9])""")
    found = [
        f"{path.relative_to(BASE_DIR)}: {match[0]}"
        for room in ("queries", "actions")
        for path in (BASE_DIR / "labeling" / room).rglob("*.py")
        for match in named.finditer(path.read_text())
    ]
    assert found == [], "an import writes what the product needs to know into columns (Task.kind, Label.verdict)"
    assert named.search("label.extra #>> '{prm800k,screening}'")
    assert named.search("jsonb_set(staged.extra, '{prm800k,given}', given.given)")
    assert named.search("label.extra -> 'prm800k'")
    assert named.search("Label.objects.filter(extra__prm800k__screening=True)")
