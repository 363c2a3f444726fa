"""Reimporting our own neutral files: labels are imported with all their details, and existing ones are recognised."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labeling import queries
from labeling.actions import rounds
from labeling.actions.exports import create_export, finished_file, run_export
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.reviews import settle_task
from labeling.models import Completion, Label, Project, Round, User
from labeling.queries.overview import project_overview
from labeling.tests.exports.labeled import exported, give_label, traces_of
from labeling.tests.exports.test_labels_go_home import ACT, atif, label_all, make_project_of_runs
from labeling.tests.factories import make_member, make_project, make_submission, open_round, require_counted_steps
from labeling.tests.imports.files import faults_of, import_bytes, import_file, lines, neutral_row, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
Json = dict[str, Any]
MISTAKE = {"progress": "some", "explanation": "Five is\nwrong.", "kind": "maths:1:calculation", "clause": "§1.2"}
MISTAKE |= {"corrected_step": "It is 4."}


def label_solutions(folder: Path) -> Project:
    """A project with labels of every finish reason, up to the first error and of every step, with all other details."""
    project = make_project_of_runs()
    Project.objects.filter(pk=project.pk).update(after_error={"scheme": "maths", "asked": []})
    project.refresh_from_db()
    rows = [neutral_row(f"{n}+2?", ["Add.", "It is 5.", "So 5."], final_answer="5", own=n) for n in range(5)]
    traces_of(project, folder, *rows)
    open_round(project, overlap=5)
    first = claim_next_label(make_member(project), project).label
    assert first is not None
    texts = ("It is 4.", "Other.")
    offered = [Completion.objects.create(trace=first.task.trace, step_index=1, text=text) for text in texts]
    rated = [{"completion": one.pk, "rating": 1 - number, "flagged": None} for number, one in enumerate(offered)]
    said: Json = {"comments": [{"step": 1, "text": "Two and two\nare four."}, {"step": 0, "text": "Fine."}]}
    said["reports"] = [{"kind": "split_badly", "step": 0, "text": "Two."}]
    said["reports"] += [{"kind": "answer_wrong", "step": None, "text": ""}]
    said["calculations"] = [{"input": "1/3 + 1/6", "result": "1/2"}]
    said |= {"alternatives": rated, "mistake": MISTAKE, "noticed_at_step": 2, "total_ms": 9000}
    submit_label(first, make_submission([1, -1, None], **said))
    confirmed = [{"code": "solution_with_error", "step": 1, "reason": "Put right in the end."}]
    give_label(project, [0, -1, None], finish_reason="solution", confirmations=confirmed)
    bad = {"kind": "vague", "text": "Which x?"}
    give_label(project, [None, None, None], finish_reason="bad_problem", finish_detail=bad)
    give_label(project, [1, None, None], finish_reason="give_up", finish_detail={"text": "Too long."})
    give_label(project, [1, 0, 1], make_member(project))
    Round.objects.filter(project=project, status="labeling").update(status="closed")
    rounds.open_round(project, by=None, protocol="every_step")
    ada = make_member(project)
    for ratings in ([-1, 1, 0], [1, -1, -1]):
        label = claim_next_label(ada, project).label
        assert label is not None
        submit_label(label, make_submission(ratings))
    return project


def label_runs(folder: Path) -> Project:
    """A project with labels of agents' runs, with every mark."""
    project = make_project_of_runs()
    import_bytes(project, lines(atif()), folder)
    run = label_all(project)[-1]
    Label.objects.filter(pk=run.pk).update(run_marks={**(run.run_marks or {}), "acts": [ACT]}, active_ms=1234)
    return project


SWITCHES = {"alternatives": "rows", "gold": "include"}
# What differs in an imported label: its round is another, its ratings are imported, and the guidelines are another
# project's.
ANOTHER: Json = {"round": 0, "guideline_version": None}


def comparable(rows: list[Json]) -> list[str]:
    told = []
    for row in rows:
        sources = [by and "somebody" for by in row["step_sources"]]
        told.append(row | {"step_sources": sources, "label": row["label"] | ANOTHER})
    return sorted(json.dumps(row, sort_keys=True) for row in told)


def test_labels_of_solutions_come_back_with_all_that_was_said(tmp_path: Path) -> None:
    rows, _ = exported(label_solutions(tmp_path), "neutral", switches=SWITCHES)
    said = [row["label"] for row in rows]
    assert {label["finish_reason"] for label in said} == {"found_error", "solution", "bad_problem", "give_up"}
    for name in ("mistake", "comments", "reports", "calculations", "noticed_at_step", "alternative_at_step"):
        assert any(label[name] for label in said), f"some row has {name}"
    elsewhere = make_project()
    job = import_bytes(elsewhere, lines(*rows), tmp_path, labels_of="nobody named")
    assert (job.report["faults"]["total"], job.report["without_label"]) == (0, 0)
    back, _ = exported(elsewhere, "neutral", switches=SWITCHES)
    assert comparable(back) == comparable(rows)
    require_counted_steps()
    protocols = Round.objects.filter(project=elsewhere).values_list("protocol", flat=True)
    assert set(protocols) == {"first_error", "every_step"}
    again = import_bytes(elsewhere, lines(*back), tmp_path, labels_of="nobody named")
    assert again.report["labels"]["new"] == 0
    assert again.report["traces"]["new"] == 0, "an alternative is no trace of its own"


@pytest.mark.parametrize("make", [label_solutions, label_runs])
def test_labels_come_back_out_of_a_table_too(tmp_path: Path, make: Callable[[Path], Project]) -> None:
    project, elsewhere = make(tmp_path), make_project()
    rows, _ = exported(project, "neutral", switches=SWITCHES)
    table = create_export(project, by=None, format="neutral", container="parquet", switches=SWITCHES)
    run_export(table.pk)
    table.refresh_from_db()
    import_file(elsewhere, finished_file(table), labels_of="X")
    back, _ = exported(elsewhere, "neutral", switches=SWITCHES)
    labels = [
        comparable([{"label": row["label"], "step_sources": row["step_sources"]} for row in of]) for of in (rows, back)
    ]
    assert labels[0] == labels[1]
    assert project_overview(elsewhere)["median_active_ms"] is None, "times of imported labelers are no figure of people"


def test_a_ruling_says_that_it_is_one_and_comes_back_so(tmp_path: Path) -> None:
    project, elsewhere = make_project(), make_project()
    traces_of(project, tmp_path, *(neutral_row(f"{n}+2?", ["Add.", "It is 5."]) for n in range(2)))
    open_round(project, overlap=2)
    disputed = [give_label(project, ratings) for ratings in ([1, 1], [1, -1])]
    rita = make_member(project, "researcher")
    why = "The sign is lost."
    settle_task(disputed[0].task, by=rita, ratings=[-1, None], finish_reason="found_error", note=why)
    switches = {**SWITCHES, "aggregate": "adjudicated"}
    agreed = give_label(project, [1, 1])
    rows, _ = exported(project, "neutral", switches=switches)
    assert {(row["first_error"], row["label"]["ruling"]) for row in rows} == {(0, True), (agreed.verdict, False)}
    assert "The sign" not in repr(rows), "why it was ruled so is for other reviewers"
    import_bytes(elsewhere, lines(*rows), tmp_path, labels_of="X")
    back, _ = exported(elsewhere, "neutral", switches=SWITCHES)
    assert comparable(back) == comparable(rows)
    assert not Label.objects.filter(project=elsewhere, status="ruling").exists()


def test_a_step_that_a_labeler_wrote_stays_written(tmp_path: Path) -> None:
    project, elsewhere = make_project(), make_project()
    row = prm800k_row()
    del row["question"]["pre_generated_steps"]
    human = {"text": "By hand.", "rating": None, "source": "human", "flagged": False}
    row["label"] |= {"finish_reason": "solution"}
    row["label"]["steps"][1] |= {"human_completion": human}
    import_bytes(project, lines(row), tmp_path)
    rows, _ = exported(project, "neutral", switches=SWITCHES)
    import_bytes(elsewhere, lines(*rows), tmp_path, labels_of="X")
    back, _ = exported(elsewhere, "neutral", switches=SWITCHES)
    assert [row["step_sources"] for row in back] == [row["step_sources"] for row in rows]
    assert "written" in back[0]["step_sources"]
    assert comparable(back) == comparable(rows)


def test_labels_of_runs_come_back_with_every_mark(tmp_path: Path) -> None:
    rows, _ = exported(label_runs(tmp_path), "neutral")
    assert any(row["label"]["run"]["acts"] for row in rows if "acts" in row["label"]["run"])
    for unit in ("message", "call"):
        elsewhere = make_project(rated_unit=unit)
        job = import_bytes(elsewhere, lines(*rows), tmp_path, labels_of="nobody named")
        assert job.report["faults"]["total"] == 0
        if unit == "message":
            assert comparable(exported(elsewhere, "neutral")[0]) == comparable(rows)
        else:
            assert job.report["labels"]["new"] + job.report["without_label"] == len(rows)
            assert job.report["without_label"] == 1, "a message of two calls: rated in other units"


@pytest.mark.parametrize(
    "switches",
    [{"after_error": "truncate"}, {"after_error": "fill_negative"}, {"neutral": "positive"}, {"neutral": "negative"}],
)
def test_what_a_switch_put_into_a_row_is_no_rating_of_its_labeler(tmp_path: Path, switches: dict[str, str]) -> None:
    project, elsewhere = make_project(), make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b", "c", "d"]))
    give_label(project, [1, 0, -1, None], noticed_at_step=3)
    rows, _ = exported(project, "neutral", switches=switches)
    job = import_bytes(elsewhere, lines(*rows), tmp_path, labels_of="X")
    assert (job.report["labels"]["new"], job.report["faults"]["total"]) == (1, 0)
    ([back], _) = exported(elsewhere, "neutral")
    rated = zip(rows[0]["step_labels"], rows[0]["step_sources"], strict=True)
    expected = [None if by == "filled" else rating for rating, by in rated]
    assert (back["step_labels"], back["first_error"]) == (expected, rows[0]["first_error"])
    assert back["label"]["noticed_at_step"] == 3
    here = import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    if "truncate" not in switches.values():  # which is another trace
        assert here.report["labels"] == {"new": 0, "duplicate_in_file": 0, "known": 1}


def test_a_mended_row_says_what_its_ratings_say(tmp_path: Path) -> None:
    project, elsewhere = make_project(), make_project()
    traces_of(project, tmp_path, neutral_row("1?", ["a", "b"]), neutral_row("2?", ["a", "b"]))
    give_label(project, [1, 1])
    give_label(project, [1, 1])
    rows, _ = exported(project, "neutral")
    rows[0] |= {"first_error": 1, "step_labels": [1, -1]}
    rows[1] |= {"first_error": None, "step_labels": None}
    job = import_bytes(elsewhere, lines(*rows), tmp_path, labels_of="X")
    assert (job.report["labels"]["new"], job.report["without_label"]) == (1, 1)
    label = Label.objects.get(project=elsewhere)
    assert (label.finish_reason, label.verdict) == ("found_error", 1)
    here = import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    assert here.report["labels"] == {"new": 1, "duplicate_in_file": 0, "known": 0}, "not what the person here said"


FAULTS = [
    ({"comments": [{"step": "one", "text": "x"}]}, "label.comments[0].step"),
    ({"comments": "x"}, "label.comments"),
    ({"reports": [{"kind": "rude", "step": None, "text": ""}]}, "label.reports[0].kind"),
    ({"mistake": {"progress": "lots"}}, "label.mistake.progress"),
    ({"mistake": {"kind": "calculation"}}, "label.mistake.kind"),
    ({"mistake": 3}, "label.mistake"),
    ({"run": {"acts": [7]}}, "label.run.acts"),
    ({"submitted_at": "yesterday"}, "label.submitted_at"),
    ({"active_ms": -1}, "label.active_ms"),
    ({"alternative_at_step": 0}, "label.alternative_at_step"),
]


@pytest.mark.parametrize(("said", "field"), FAULTS)
def test_what_a_label_cannot_say_is_a_fault_with_its_place(tmp_path: Path, said: Json, field: str) -> None:
    label = {"labeler": "a", "finish_reason": "found_error", "submitted_at": None, **said}
    row = neutral_row(label=label, first_error=1)
    found = [place for _, _, place in faults_of(import_bytes(make_project(), lines(row), tmp_path, labels_of="X"))]
    assert field in found
    assert import_bytes(make_project(), lines(row), tmp_path).report["imported"], "without labels it is a further key"


def test_an_alternative_whose_label_is_not_in_the_file_is_a_trace_without_a_label(tmp_path: Path) -> None:
    rows, _ = exported(label_solutions(tmp_path), "neutral", switches=SWITCHES)
    alone = [row for row in rows if row["label"]["alternative_at_step"] is not None]
    elsewhere = make_project()
    job = import_bytes(elsewhere, lines(*alone), tmp_path, labels_of="X")
    assert (job.report["traces"]["new"], job.report["labels"]["new"], job.report["without_label"]) == (2, 0, 2)


def test_a_projects_own_export_brings_it_no_label_a_second_time(tmp_path: Path) -> None:
    project = label_solutions(tmp_path)
    import_bytes(project, lines(prm800k_row("P"), prm800k_row("Q")), tmp_path)
    import_bytes(project, lines(neutral_row("R", first_error=1)), tmp_path, labels_of="Experts")
    labels, people = Label.objects.filter(project=project), User.objects.count()
    before = labels.count()
    rows, _ = exported(project, "neutral", switches=SWITCHES)
    job = import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    assert job.report["labels"] == {"new": 0, "duplicate_in_file": 0, "known": before}
    assert (labels.count(), User.objects.count()) == (before, people)
    person = labels.exclude(labeler__kind="imported").filter(verdict=1)[0]
    labels.filter(pk=person.pk).update(verdict=2)
    again = import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    assert again.report["labels"]["new"] == 1, "what nobody here said is another labeler's word"


def test_a_projects_own_rows_of_prm800k_bring_it_no_label_a_second_time(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row("1?", ["a", "b"]), neutral_row("2?", ["a", "b"]))
    for ratings in ([1, -1], [1, 0]):
        give_label(project, ratings)
    import_bytes(project, lines(prm800k_row("P")), tmp_path)
    job = import_bytes(project, lines(*exported(project, "prm800k")[0]), tmp_path)
    assert job.report["labels"] == {"new": 0, "duplicate_in_file": 0, "known": 3}


def test_an_imported_row_that_names_a_persons_id_is_not_that_persons_work(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row("1?", ["a", "b"]), neutral_row("2?", ["a", "b"]))
    ada = make_member(project)
    give_label(project, [1, -1], ada)
    give_label(project, [1, 1], make_member(project))
    rows, _ = exported(project, "neutral")
    hers = rows[0]["label"]["labeler"]
    forged = [neutral_row("3?", ["a"], first_error=0, labeler=hers), neutral_row("4?", ["a"], first_error=0)]
    forged.append(neutral_row("5?", ["a"], first_error=0, labeler=hers.upper()))
    import_bytes(project, lines(*forged), tmp_path, labels_of="Experts")
    rows, _ = exported(project, "neutral")
    by_problem = {row["problem"]: row["label"]["labeler"] for row in rows}
    named = [row["label"]["labeler"].lower() for row in rows]
    assert len(set(named)) == len(named) == 5, "nobody stands under another's id"
    assert (by_problem["4?"], named.count(hers)) == ("Experts", 1)
    imported = User.objects.get(external_id=hers)
    rows, export = exported(project, "neutral", filters={"labelers": [imported.pk]})
    assert export.manifest["filters"] == {"labelers": [rows[0]["label"]["labeler"]]}
    assert [row["problem"] for row in rows] == ["3?"]
    ids = queries.labeler_ids.LabelerIds(project)
    assert ids.of_person(imported) == by_problem["3?"]
    assert queries.releases.people_called(project, hers) == [ada.pk], "whose labels are taken out by it"
    again, _ = exported(project, "neutral")
    job = import_bytes(project, lines(*again), tmp_path, labels_of="X")
    assert job.report["labels"] == {"new": 0, "duplicate_in_file": 0, "known": 5}


def test_a_first_error_of_null_is_told_by_ratings_of_every_step_but_not_of_a_bad_problem(tmp_path: Path) -> None:
    rated = neutral_row("1?", ["a", "b"], first_error=None, step_labels=[1, 0])
    project = make_project()
    traces_of(project, tmp_path, neutral_row("2?", ["a", "b"]))
    bad = {"kind": "vague", "text": "Which?"}
    give_label(project, [1, 1], finish_reason="bad_problem", finish_detail=bad)
    rows = [rated, *exported(project, "neutral")[0]]
    assert [(row["first_error"], row["step_labels"]) for row in rows] == [(None, [1, 0]), (None, [1, 1])]
    gold = import_bytes(make_project(), lines(*rows), tmp_path, as_gold=True, skip_faulty=True)
    assert (gold.report["gold"]["new"], faults_of(gold)) == (1, [("no_first_error", 2, "first_error")])
    elsewhere = make_project()
    import_bytes(elsewhere, lines(*rows), tmp_path, labels_of="X")
    labels = Label.objects.filter(project=elsewhere).order_by("pk")
    assert [(one.finish_reason, one.verdict) for one in labels] == [("solution", -1), ("bad_problem", None)]
